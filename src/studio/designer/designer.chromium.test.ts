// The alert designer of the studio in Chromium: variations with an image and a sound of the streamer's own, from the upload to the stream.

import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { desktop, followLink, openTab, phone, sendForm, type Tab, takeScreenshot } from "../../../conformance/meta/browser/chromium.ts";
import { finishMovements, journal, openOverlay, textOf, until } from "../../../conformance/meta/browser/overlay-tab.ts";
import { expectedMessages, looksRight, screens } from "../../../conformance/meta/browser/page-checks.ts";
import { newLogin } from "../../../conformance/meta/browser/streamers.ts";
import { target } from "../../../conformance/suite/values/target.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

const open = ({ page }: Tab, path: string) => page.goto(target().url + path);

const submit = (tab: Tab, action: string) => sendForm(tab, tab.page.locator(`form[action$='/studio/designer/${action}'] button`).first());

const save = (tab: Tab) => sendForm(tab, tab.page.locator("button.main"));

const notice = ({ page }: Tab, text: string) => page.locator("[role=status]").getByText(text).waitFor();

/** A red PNG of 64 × 32 pixels. */
function redPng(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const content = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(content));
    return Buffer.concat([length, content, check]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(64, 0);
  size.writeUInt32BE(32, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.alloc(1), Buffer.from("d01030".repeat(64), "hex")]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: 32 }, () => row)));
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", size), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** A tone of half a second, as WAV. */
function tone(): Buffer {
  const bytes = Buffer.alloc(44 + 8_000);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + 8_000, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    bytes.writeUInt16LE(value, at);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.write("data", 36);
  bytes.writeUInt32LE(8_000, 40);
  for (let i = 0; i < 4_000; i += 1) bytes.writeInt16LE(Math.round(8_000 * Math.sin(i / 3)), 44 + 2 * i);
  return bytes;
}

async function upload(tab: Tab, name: string, buffer: Buffer): Promise<void> {
  await tab.page.locator("input[name=file][type=file]").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await submit(tab, "upload");
}

/** Each card of the gallery stands in its frame, and the amount on its card. */
async function expectWholeThemes({ page }: Tab): Promise<void> {
  for (const frame of await page.locator(".gallery iframe").all()) {
    await frame.scrollIntoViewIfNeeded();
    const theme = await frame.getAttribute("title");
    const card = frame.contentFrame().locator(".alert .card");
    await card.locator(".amount").waitFor({ state: "attached" });
    await card.evaluate(finishMovements);
    const spaces = await card.evaluate(
      "((card, amount) => [card.top, innerHeight - card.bottom, amount.top - card.top, card.bottom - amount.bottom])(...['.card', '.amount'].map((one) => document.querySelector(one).getBoundingClientRect()))",
    );
    expect(
      (spaces as number[]).every((space) => space >= -1),
      `${theme}: ${spaces}`,
    ).toBe(true);
  }
  const schemes = "[...new Set([...document.querySelectorAll('iframe')].map((frame) => getComputedStyle(frame).colorScheme))]";
  await expect
    .poll(() => page.evaluate(schemes), { message: "the frames of overlays are transparent on dark pages, too" })
    .toEqual(["light"]);
}

test.each(screens)("a streamer designs a variation with an own image and sound, orders and deletes it: %s", async (screen, options) => {
  const tab = await openTab(options);
  const { page } = tab;
  await newLogin(tab, "/studio/designer");
  await looksRight(tab, `studio-designer-${screen}`);
  if (tab.scripted) await expectWholeThemes(tab);

  await upload(tab, "logo.png", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"));
  await notice(tab, "This type of file is not accepted");
  await upload(tab, "polyglot.png", Buffer.concat([redPng(), Buffer.from("<script>alert(1)</script>")]));
  await notice(tab, "damaged, or there is something else in it");
  await upload(tab, "large.gif", Buffer.alloc(10 * 1_048_576 + 1, "GIF89a"));
  await notice(tab, "larger than 10 MiB");
  await upload(tab, "image.txt", redPng());
  await notice(tab, "File uploaded");
  await upload(tab, "sound.txt", tone());
  await notice(tab, "File uploaded");

  await followLink(tab, page.getByRole("link", { name: "Neon" }));
  await page.locator("input[name=name]:not([type=hidden])").fill("");
  await page.locator("input[name=from]").fill("50");
  await page.locator("input[name=to]").fill("40");
  await page.locator("textarea[name=template]").fill("{nmae}");
  await page.locator("input[name=accentColor]").fill("reddish");
  await save(tab);
  await page.waitForSelector("[role=alert]");
  for (const field of ["name", "template", "accentColor"]) await page.locator(`#field-${field}-fault`).waitFor();
  await expect.poll(() => page.locator("select[name=theme]").inputValue(), { message: "what was chosen stays" }).toBe("neon");
  await looksRight(tab, `studio-variation-wrong-${screen}`);

  await page.locator("input[name=name]:not([type=hidden])").fill("Big");
  await page.locator("input[name=to]").fill("");
  await page.locator("textarea[name=template]").fill("{name} → {amount}\n{message}");
  await page.locator("input[name=accentColor]").fill("lime");
  if (tab.scripted) {
    const palette = page.locator("input[type=color][aria-label='Accent colour']");
    await palette.fill("#00ff99");
    await expect.poll(() => page.locator("input[name=accentColor]").inputValue()).toBe("#00ff99");
  }
  const choose = async (name: string, file: string) => {
    await page.locator(`#field-${name} label`, { hasText: file }).locator("input").check();
  };
  await choose("image", "image.txt – image/png");
  await choose("sound", "sound.txt – audio/wav");
  await page.locator("input[name=confetti]").check();
  await page.locator("select[name=sample]").selectOption("arabic");
  if (!tab.scripted) await sendForm(tab, page.getByRole("button", { name: "Update preview" }));
  if (tab.scripted) {
    const frame = page.frameLocator("iframe[data-preview]");
    await frame.locator(".alert[data-theme=neon] [data-part=text]").getByText("شكرا").waitFor();
    await frame.locator("[data-part=head]").getByText("أحمد المصري → ฿250.50").waitFor();
    await frame.locator(".picture img").waitFor();
    const played = page.frames().find((one) => one.url().includes("/overlay/"));
    const sounds = () => played?.evaluate("window.journal.flatMap(({ sound }) => sound ?? [])") as Promise<string[]>;
    // Files that take longer than four seconds to load are left out, and the chime is played.
    for (let count = 1; count <= 5 && !(await sounds()).includes("own"); count += 1) {
      await page.getByRole("button", { name: "Play with sound" }).click();
      await until(sounds, ({ length }) => length >= count);
    }
    await expect.poll(() => sounds()).toContain("own");
  }
  await looksRight(tab, `studio-variation-${screen}`);
  await save(tab);
  await notice(tab, "Variation saved");
  await page.getByText("≥ ฿50").waitFor();
  await expect.poll(() => page.getByText("In use by Big").count(), { message: "both files name the variation that uses them" }).toBe(2);

  await followLink(tab, page.getByRole("link", { name: "New variation" }));
  await page.locator("input[name=name]:not([type=hidden])").fill("Second");
  await save(tab);
  await notice(tab, "Variation saved");
  const order = () => page.locator("ol.entries .entry > p bdi").allTextContents();
  await expect.poll(order, { message: "Big, from 50, would take all donations of Second" }).toEqual(["Second", "Big"]);
  await sendForm(tab, page.locator("button[name=to][value=up]"));
  await notice(tab, "Order changed");
  await expect.poll(order).toEqual(["Big", "Second"]);
  await sendForm(tab, page.locator("button[name=to][value=down]"));
  await expect.poll(order).toEqual(["Second", "Big"]);
  await page.getByText("Delete…", { exact: true }).first().click();
  await sendForm(tab, page.locator("button[name=to][value=away]").first());
  await notice(tab, "Variation deleted");
  await expect.poll(order).toEqual(["Big"]);
  await looksRight(tab, `studio-designer-filled-${screen}`);
  const last = page.locator("button[name=to][value=away]");
  if (!(await last.isVisible())) await page.getByText("Delete…", { exact: true }).click(); // where nothing was unfolded
  await sendForm(tab, last);
  const deletion = page.locator("form[action$='/studio/designer/delete-file'] button").first();
  if (!(await deletion.isVisible())) await page.getByText("Delete…", { exact: true }).first().click();
  await looksRight(tab, `studio-designer-file-deletion-${screen}`);
  await sendForm(tab, deletion);
  await notice(tab, "File deleted");
  expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
  await tab.context.close();
});

test("a test alert of a variation shows its own image, sound and text on the overlay", async () => {
  const tab = await openTab(desktop);
  const { page } = tab;
  await newLogin(tab, "/studio/designer");
  await upload(tab, "image.png", redPng());
  await followLink(tab, page.getByRole("link", { name: "Gold" }));
  await page.locator("input[name=name]:not([type=hidden])").fill("Big");
  expect(await page.locator("#upload").isVisible(), "a file is uploaded as soon as it is chosen").toBe(false);
  await page.locator("#field-file").setInputFiles({ name: "sound.wav", mimeType: "audio/wav", buffer: tone() });
  await notice(tab, "File uploaded and chosen");
  expect(await page.locator("input[name=name]:not([type=hidden])").inputValue(), "what was typed stays").toBe("Big");
  await page.locator("input[name=from]").fill("500");
  await page.locator("input[name=seconds]").fill("60");
  await page.locator("textarea[name=template]").fill("{name}: {amount} {message}");
  await page.locator("select[name=position]").selectOption("bottom_right");
  await page.locator("#field-image label", { hasText: "image.png" }).locator("input").check();
  await page.locator("input[name=confetti]").check();
  await save(tab);
  await notice(tab, "Variation saved");

  await open(tab, "/studio/overlay");
  await sendForm(tab, page.locator("form[action$='/studio/overlay'] button"));
  const key = new URL(await page.locator("#source-0").inputValue()).hash.slice(1);
  const overlay = await openOverlay({ url: target().url, key });
  await open(tab, "/studio/designer/variation?place=0");
  await sendForm(tab, page.getByRole("button", { name: "Save and test on stream" }));
  await notice(tab, "Variation saved. Test alert sent: “Big” plays.");
  await overlay.page.locator(".alert[data-theme=gold] .picture img").waitFor();
  await expect.poll(() => overlay.page.evaluate("document.querySelector('.picture img').naturalWidth")).toBe(64);
  await expect.poll(() => textOf(overlay, "head")).toBe("Namjai: ฿500");
  await expect.poll(() => textOf(overlay, "text")).toBe("Testing the alert");
  await expect.poll(() => overlay.page.locator(".confetti i").count()).toBeGreaterThan(50);
  await overlay.page.evaluate(finishMovements);
  const { x, y } = (await overlay.page.locator(".alert .card").boundingBox()) ?? { x: 0, y: 0 };
  expect([x > 200, y > 100], "the card stands at the bottom right").toEqual([true, true]);
  await takeScreenshot(overlay, "overlay-variation");
  const entries = await until(
    () => journal(overlay),
    (seen) => seen.some(({ event }) => event === "sound"),
  );
  expect(
    entries.filter(({ event, sound }) => event === "sound" && sound !== "speech").map(({ sound, outcome }) => [sound, outcome]),
  ).toEqual([["own", "ended"]]);
  expect(overlay.complaints).toEqual([]);
  await overlay.context.close();
  await tab.context.close();
});

test("on a phone the preview stays in sight above every field of a variation, and covers none that is being filled in", async () => {
  const tab = await openTab(phone);
  const { page } = tab;
  await newLogin(tab, "/studio/designer");
  await open(tab, "/studio/designer/variation?theme=neon");
  const stage = page.locator("iframe[data-preview]");
  for (const name of ["from", "accentColor", "voice"]) {
    const field = page.locator(`input[name=${name}]`);
    await field.focus();
    const [shown, typed] = [await stage.boundingBox(), await field.boundingBox()];
    if (!shown || !typed) throw new Error("the preview or the field is not shown");
    expect(shown.y, name).toBeGreaterThanOrEqual(0);
    expect(shown.y + shown.height, name).toBeLessThan(typed.y);
    expect(shown.height, name).toBeLessThan(150);
  }
  await tab.context.close();
});

/** Lets the preview show this text. */
async function show({ page }: Tab, sample: "short" | "thai", text: string): Promise<void> {
  await page.locator("select[name=sample]").selectOption(sample);
  await page.frameLocator("iframe[data-preview]").locator("[data-part=text]").getByText(text).waitFor();
}

const sizes: [string, number, number][] = [
  ["a-source-of-OBS", 800, 600],
  ["a-phone", 375, 667],
];
const themes = ["namjai", "neon", "paper", "pixel", "glass", "ribbon", "gold", "plain"];

test("no theme lets the longest texts leave the screen of a source of OBS or of a phone", async () => {
  const tab = await openTab();
  await newLogin(tab, "/studio/designer");
  const card = tab.page.frameLocator("iframe[data-preview]").locator(".alert .card");
  for (const [theme, [size, width, height]] of themes.flatMap((theme) => sizes.map((one) => [theme, one] as const))) {
    if (size === sizes[0]?.[0]) await open(tab, `/studio/designer/variation?theme=${theme}`);
    else await show(tab, "short", "สู้ ๆ นะ!");
    await tab.page.evaluate(
      `Object.assign(document.querySelector("iframe[data-preview]").style, { width: "${width}px", height: "${height}px" })`,
    );
    await show(tab, "thai", "ดูมาตั้งแต่วันแรก");
    await card.evaluate(finishMovements);
    const box = await card.evaluate(
      "((box) => [box.left, box.top, innerWidth - box.right, innerHeight - box.bottom])(document.querySelector('.card').getBoundingClientRect())",
    );
    const ink = await card.evaluate(
      "(() => { const { color } = getComputedStyle(document.querySelector('.name')); const probe = document.querySelector('.alert').appendChild(document.createElement('i')); probe.style.color = 'var(--ink)'; const own = getComputedStyle(probe).color; probe.remove(); return [color, own]; })()",
    );
    expect((ink as string[])[0], `${theme}: the colour of the name is the theme's`).toBe((ink as string[])[1]);
    await takeScreenshot(tab, `theme-${theme}-${size}`, false);
    expect(
      (box as number[]).every((space) => space >= -1),
      `${theme} on ${size}: ${box}`,
    ).toBe(true);
  }
  await tab.context.close();
});
