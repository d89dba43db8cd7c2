// Pictures of every page of the studio on a desktop and a phone, in light and dark colours: with a year of donations, with nothing, with the longest
// texts. `make pictures` keeps them, and names those that differ from the ones that it kept before.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { create, recorded } from "../../suite/client/api.ts";
import { addKey } from "../../suite/client/operator.ts";
import { target } from "../../suite/values/target.ts";
import { desktop, openChromium, openTab, type Tab } from "./chromium.ts";
import { fillStudio, kindOf, type Look, walk } from "./filled-studio.ts";
import { newLogin } from "./streamers.ts";

const folder = fileURLToPath(new URL("pictures/", import.meta.url));
const widths = [1440, 390];

/** What is not the same in every run. */
const style = "time, .avatar + span, [data-until], [data-left], .once input, input[type=date], code { visibility: hidden }";

const data: Record<string, (tab: Tab, handle: string) => Promise<unknown>> = {
  year: async (tab, handle) => {
    await recordYear(handle);
    await fillStudio(tab, { handle, text: (_, sample) => sample, look: async () => {} });
  },
  nothing: async () => {},
  longest: (tab, handle) => fillStudio(tab, { handle, text: (length) => "W".repeat(length), look: async () => {} }),
};

test.each(Object.entries(data))("every page of the studio has its pictures: %s", async (name, fill) => {
  const tab = await openTab({ ...desktop, bypassCSP: true }); // which refuses the style of a picture
  const { handle } = await newLogin(tab, "/studio/home");
  await fill(tab, handle);
  await walk(tab, { start: "/studio/home", inside: /^\/studio(?!\/history\/export|\/dock$)/ }, photograph(name));
  await tab.context.close();
});

const photograph =
  (name: string): Look =>
  async ({ page }) => {
    for (const width of widths)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: width > 800 ? 900 : 844 });
        await page.emulateMedia({ colorScheme });
        const kind = kindOf(page.url())
          .slice(1)
          .replaceAll(/[^\w]+/g, "-");
        await keep(page, `${kind}-${name}-${width}-${colorScheme}.png`);
      }
  };

async function keep(page: Page, file: string): Promise<void> {
  const picture = await page.screenshot({ fullPage: true, style, animations: "disabled" });
  const [path, before] = [`${folder}${file}`, `${folder}before/${file}`];
  mkdirSync(`${folder}before`, { recursive: true });
  if (existsSync(path)) {
    const old = readFileSync(path);
    if (old.equals(picture)) return;
    writeFileSync(before, old);
    console.log(`${file}: ${(await differenceOf(old, picture)).toFixed(1)} % of it differ from before/`);
  }
  writeFileSync(path, picture);
}

/** Percent of the pixels that differ between two pictures. Chromium reads them. */
async function differenceOf(one: Buffer, other: Buffer): Promise<number> {
  const page = await (await openChromium()).newPage();
  const addresses = [one, other].map((picture) => `data:image/png;base64,${picture.toString("base64")}`);
  const percent = await page.evaluate<number>(`(${compare})(${JSON.stringify(addresses)})`);
  await page.close();
  return percent;
}

// Evaluated in a page.
const compare = `async (addresses) => {
  const [one, other] = await Promise.all(addresses.map(async (address) => {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    return picture;
  }));
  const [width, height] = ["width", "height"].map((side) => Math.max(one[side], other[side]));
  const pen = new OffscreenCanvas(width, height).getContext("2d");
  pen.drawImage(one, 0, 0);
  pen.globalCompositeOperation = "difference";
  pen.drawImage(other, 0, 0);
  const { data } = pen.getImageData(0, 0, width, height);
  let differs = 0;
  for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] > 0) differs++;
  return (100 * differs) / (width * height);
}`;

/** A thousand donations of forty people over a year, the same in every run but for the day on which it ends. */
async function recordYear(handle: string): Promise<void> {
  const key = await addKey(target().operator!, handle, "write:donations");
  const names = ["สมชาย ใจดี", "น้องปุ๊กกี้", "Nyan", "มะลิ", "Aran", "ป้าแดง", "Somsri", "เจ้าเหมียว"];
  const messages = ["สู้ ๆ นะครับ", "มาแล้วค่าา", "555", "", "ขอเพลงหน่อยครับ 🎵", "Good luck!"];
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, index) => {
      const donation = {
        donatorName: `${names[(index * 7) % 8]}${index % 5 === 0 ? "" : ` ${index % 5}`}`,
        amount: 20 + ((index * index * 137) % 480),
        message: messages[index % 6] ?? "",
        createdAt: new Date(Date.now() - ((index * 53) % 365) * 86_400_000 - index * 1_000).toISOString(),
        skipAlert: true,
      };
      recorded(await create(donation, { key }));
    }),
  );
}
