// What the overlay page looks like.

import { describe, expect, test } from "vitest";
import { moving, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { playbackOf } from "../../conformance/meta/browser/fake-overlay.ts";
import { drawnOn, finishMovements, type OverlayTab, setUpOverlay, untilEvent } from "../../conformance/meta/browser/overlay-tab.ts";

const overlay = setUpOverlay();

const { untilConnected, untilStarted, setMinimum } = overlay;

const open: typeof overlay.open = (options) => overlay.open({ options: moving, ...options });

const inObs = { script: "window.obsstudio = {}" };

test("a page without an overlay key is empty in OBS and does not connect; an ordinary browser is told what is missing", async () => {
  overlay.fake.key = "";
  const [source, tab] = [await open(inObs), await open()];
  await tab.page.getByText("ลิงก์นี้ไม่มีคีย์").waitFor();
  expect((await source.page.locator("body").innerText()).trim()).toBe("");
  expect(overlay.fake.streams).toEqual([]);
});

test("a card with one colour in each variable keeps its background and its line", async () => {
  const tab = await open();
  const colours = { card: "rgb(11, 42, 38)", edge: "rgb(200, 255, 107)", accent: "rgb(39, 199, 165)", well: "rgb(5, 20, 18)" };
  const css = Object.entries(colours).map(([name, colour]) => `--${name}: ${colour};`);
  await tab.page.evaluate(`document.head.appendChild(document.createElement('style')).textContent = ':root { ${css.join(" ")} }'`);
  await untilConnected();
  setMinimum(60);
  overlay.fake.play(playbackOf({ amount: 5_000 }));
  await untilEvent(tab, "started");
  const backgroundOf = (pseudo: string) =>
    tab.page.evaluate(`getComputedStyle(document.querySelector('.card')${pseudo && `, '${pseudo}'`}).backgroundColor`);
  expect([await backgroundOf("::before"), await backgroundOf("")]).toEqual([colours.card, colours.edge]);
  await takeScreenshot(tab, "alert-colours");
});

test("the overlay page applies the custom CSS of OBS, and loads no address in it", async () => {
  const tab = await open();
  await tab.page.evaluate(
    "document.head.appendChild(document.createElement('style')).appendChild(document.createTextNode(':root { --ink: rgb(1, 2, 3); } body { background: url(//evil.example/x.png) }'))",
  );
  await expect.poll(() => tab.page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(1, 2, 3)");
  expect(tab.complaints.filter((complaint) => complaint.startsWith("failed"))).toEqual([]);
});

test("prefers-reduced-motion switches the animations of an alert off", async () => {
  const tab = await open({ options: { reducedMotion: "reduce" } });
  await untilConnected();
  setMinimum(60);
  overlay.fake.play(playbackOf({ amount: 5_000 }));
  await untilEvent(tab, "started");
  const runningAnimations = "[...new Set(document.getAnimations().map((one) => one.animationName))].sort()";
  expect((await tab.page.evaluate(`${runningAnimations}`)) as string[]).not.toEqual(expect.arrayContaining(["rise"]));
  await expect.poll(() => tab.page.evaluate("getComputedStyle(document.querySelector('.hearts svg')).animationName")).toBe("none");
});

describe("the card of an alert", () => {
  const long = "ขอบคุณสำหรับสตรีมครับ ผู้ใหญ่ใจดี ".repeat(8).slice(0, 255);
  const words: [string, object][] = [
    ["thai", { amount: 500, message: "กุ้งกี้ ปู่ย่า ฏุฎู้ ที่นี่ ผู้ใหญ่ น้ำแข็ง เกี๊ยวซ่า" }],
    ["long", { donatorName: "พี่ผู้ใหญ่ใจดีจากกรุงเทพมหานครอมรรัตนโกสินทร์มหิน", amount: 1_000_000, message: long }],
    ["wide", { donatorName: "W".repeat(50), amount: 999_999.99, message: "W".repeat(255) }],
    ["rtl", { donatorName: "محمد عبد الله", message: "شكرا جزيلا 123 abc! \u202Eevil" }],
    ["emoji", { donatorName: "🐱 Nyan 🌈", message: "❤️ 👨‍👩‍👧‍👦 🇹🇭 555" }],
    ["zalgo", { donatorName: `Z${"\u0301\u0316\u0334".repeat(15)}`, message: `ก${"้".repeat(200)}` }],
    ["short", { donatorName: "ก", amount: 1, message: "" }],
  ];

  test("name and amount fit on the card, and the card fits on the page, with long, wide and foreign texts, and in each theme", async () => {
    const tab = await open();
    await untilConnected();
    setMinimum(60);
    const boxesOf =
      "['.card', '.name', '.amount'].map((one) => { const { left, top, right, bottom } = document.querySelector(one).getBoundingClientRect(); return [left, top, right, bottom]; })";
    const overflows = "['.name', '.amount'].map((one) => document.querySelector(one)).map((one) => one.scrollWidth > one.clientWidth + 1)";
    const inThemes = themes.map((theme): [string, object] => [theme, { ...words[1]?.[1], variation: lookOf({ theme }) }]);
    for (const [name, texts] of [...words, ...inThemes]) {
      const playback = playbackOf(texts);
      overlay.fake.play(playback);
      await untilStarted(playback);
      await tab.page.evaluate(finishMovements);
      await takeScreenshot(tab, `alert-${name}`);
      const boxes: number[][] = await tab.page.evaluate(boxesOf);
      for (const [left = -1, top = -1, right = 9_999, bottom = 9_999] of boxes)
        expect([left >= 0, top >= 0, right <= 800, bottom <= 600], `${name}: ${boxes.join()}`).toEqual([true, true, true, true]);
      await expect.poll(() => tab.page.evaluate(overflows), { message: name }).toEqual([false, false]);
      overlay.fake.stop(playback.id);
    }
  });

  test("an erased donator is anonymous on the card, in the page's language", async () => {
    for (const [path, name] of [
      ["", "ผู้ไม่ประสงค์ออกนาม"],
      ["?lang=en", "Anonymous"],
    ] as const) {
      const tab = await open({ path });
      await untilConnected();
      overlay.fake.play(playbackOf({ donatorName: "(erased)", message: "" }));
      await expect.poll(() => tab.page.locator("[data-part=name]").textContent()).toBe(name);
      await tab.context.close();
    }
  });

  test("Thai and Latin letters are shown in the bundled font", async () => {
    const tab = await open();
    await untilConnected();
    setMinimum(60);
    overlay.fake.play(playbackOf({ donatorName: "น้ำใจ Kindness", message: "น้ำใจ Kindness" }));
    await untilEvent(tab, "started");
    expect(
      await tab.page.evaluate("document.fonts.check('700 20px Prompt', 'น้ำใจ') && document.fonts.check('500 20px Prompt', 'Kindness ฿1')"),
    ).toBe(true);
    const devtools = await tab.context.newCDPSession(tab.page);
    await devtools.send("DOM.enable");
    await devtools.send("CSS.enable");
    const { root } = await devtools.send("DOM.getDocument");
    for (const part of ["name", "text", "amount"]) {
      const { nodeId } = await devtools.send("DOM.querySelector", { nodeId: root.nodeId, selector: `[data-part="${part}"]` });
      const { fonts } = await devtools.send("CSS.getPlatformFontsForNode", { nodeId });
      expect(fonts.map(({ familyName, isCustomFont }) => [familyName.split(" ")[0], isCustomFont])).toEqual(
        fonts.map(() => ["Prompt", true]),
      );
    }
  });

  test("the page is transparent around the card, and fully transparent between alerts", async () => {
    const tab = await open();
    await untilConnected();
    expect((await drawnOn(tab)).share).toBe(0);
    setMinimum(60);
    const playback = playbackOf();
    overlay.fake.play(playback);
    await untilEvent(tab, "started");
    await tab.page.evaluate(finishMovements);
    const { share } = await drawnOn(tab);
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.6);
    overlay.fake.stop(playback.id);
    await untilEvent(tab, "stopped");
    expect((await drawnOn(tab)).share).toBe(0);
  });

  test("shadows and glows of each theme end before the edge of the source, in every corner, for the largest amount and during speech", async () => {
    const tab = await open();
    await untilConnected();
    setMinimum(60);
    for (const theme of themes)
      for (const position of ["top_left", "bottom_right"]) {
        const playback = playbackOf({ amount: 5_000, variation: lookOf({ theme, position }) });
        overlay.fake.play(playback);
        await untilStarted(playback);
        await tab.page.evaluate(finishMovements);
        await tab.page.evaluate(atBrightest);
        await takeScreenshot(tab, `alert-edge-${theme}-${position}`, false);
        expect((await drawnOn(tab)).edge, `${theme} ${position}`).toBeLessThanOrEqual(2);
        overlay.fake.stop(playback.id);
      }
  });

  test("confetti falls behind the card, and covers no text", async () => {
    const tab = await open();
    await untilConnected();
    setMinimum(60);
    const playback = playbackOf({ variation: { ...lookOf({ theme: "glass" }), confetti: true } });
    overlay.fake.play(playback);
    await untilStarted(playback);
    await tab.page.evaluate(finishMovements);
    const [confetti, card]: number[] = await tab.page.evaluate(`(() => {
      for (const piece of document.querySelectorAll(".confetti, .confetti i")) piece.style.pointerEvents = "auto";
      Object.assign(document.querySelector(".confetti i").style, { inset: "0", width: "100vw", height: "100vh", animation: "none" });
      const { left, top } = document.querySelector(".amount").getBoundingClientRect();
      const drawn = document.elementsFromPoint(left + 5, top + 5);
      return [".confetti", ".card"].map((name) => drawn.findIndex((one) => one.matches(name)));
    })()`);
    expect(card).toBeGreaterThanOrEqual(0);
    expect(confetti, "below the card").toBeGreaterThan(card as number);
  });

  test("no line breaks inside a word of streams, in any theme, though the dictionary of Thai words lacks it", async () => {
    const tab = await open();
    await untilConnected();
    setMinimum(60);
    const words = ["สตรีม", "สตรีมเมอร์", "โดเนท", "คอมเมนต์", "ทวิตช์", "สติกเกอร์", "ยูทูบเบอร์"];
    for (const theme of themes) {
      const variation = { ...lookOf({ theme }), template: `{name} โดเนท {amount} {message} ${"ขอบคุณสตรีมเมอร์ ".repeat(5)}` };
      const message = `${words.join("")}${words.join("ของ")}${words.join(" ")}`;
      const playback = playbackOf({ donatorName: "แฟนคลับสตรีมเมอร์ผู้โดเนททุกสตรีมเลย", message, variation });
      overlay.fake.play(playback);
      await untilStarted(playback);
      await tab.page.evaluate(finishMovements);
      await takeScreenshot(tab, `alert-words-${theme}`, false);
      expect(await tab.page.locator("[data-part=text]").textContent()).toBe(message);
      for (const part of ["head", "text", "tail"]) {
        const lines = await linesOf(tab, part);
        expect(wordsOf(lines.join(""), words), part).toEqual(lines.flatMap((line) => wordsOf(line, words)));
      }
      expect((await linesOf(tab, "text")).length, "the message has several lines").toBeGreaterThan(2);
      overlay.fake.stop(playback.id);
    }
  });
});

const themes = ["namjai", "neon", "paper", "pixel", "glass", "ribbon", "gold", "plain"];

/** A variation with this style, and without files of its own. */
const lookOf = (style: object) => ({
  ...{ template: null, image: null, sound: null, confetti: false },
  style: {
    ...{
      theme: "namjai",
      position: null,
      size: 100,
      fontSize: 100,
      cardColor: null,
      textColor: null,
      accentColor: null,
      secondColor: null,
    },
    ...{ enter: "theme", leave: "theme", ...style },
  },
});

/** Evaluated in the page: speech is heard, and the card glows most. Hearts fly on purpose. */
const atBrightest = `(() => {
  document.querySelector(".alert").classList.add("speaking");
  document.querySelector(".hearts").hidden = true;
  for (const one of document.getAnimations()) Object.assign(one, { currentTime: 800 }).pause();
})()`;

const wordsOf = (text: string, words: string[]): string[] =>
  text.match(new RegExp(words.toSorted((a, b) => b.length - a.length).join("|"), "g")) ?? [];

/** The lines in which a part of the card is shown. */
const linesOf = ({ page }: OverlayTab, part: string): Promise<string[]> =>
  page.evaluate(`(() => {
    const lines = [];
    let top = -Infinity;
    const range = document.createRange();
    const walker = document.createTreeWalker(document.querySelector("[data-part=${part}]"), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      for (const { segment, index } of new Intl.Segmenter("th").segment(node.data)) {
        range.setStart(node, index);
        range.setEnd(node, index + segment.length);
        const { bottom } = range.getBoundingClientRect();
        if (bottom > top + 8) lines.push("");
        top = Math.max(top, bottom);
        lines.push((lines.pop() ?? "") + segment);
      }
    return lines;
  })()`);
