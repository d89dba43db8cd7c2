import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { target } from "../harness/server/target.ts";
import { picture, startChromium, withSound } from "./chromium.ts";
import { type FakeOverlay, playbackOf, startFakeOverlay, tone } from "./fake-overlay.ts";
import { injections } from "./injections.ts";
import { events, journal, type OverlayTab, openOverlay, textOf, until, untilEvent } from "./overlay-tab.ts";

let browser: Browser;
let fake: FakeOverlay;
const tabs: OverlayTab[] = [];

beforeAll(async () => {
  browser = await startChromium(withSound);
});
afterAll(() => browser?.close());
beforeEach(async () => {
  fake = await startFakeOverlay(target().url);
});
afterEach(async () => {
  for (const { context } of tabs.splice(0)) await context.close();
  fake.close();
});

async function open(options: Parameters<typeof openOverlay>[2] = {}): Promise<OverlayTab> {
  const tab = await openOverlay(browser, fake, options);
  tabs.push(tab);
  return tab;
}

const connected = () =>
  until(
    () => fake.streams.length,
    (count) => count > 0,
  );
const steps = () => fake.acknowledgements.map(({ step }) => step);
const untilStep = (step: string) => until(steps, (seen) => seen.includes(step));
const speech = { id: "speech-1", mime: "audio/wav", durationMs: 1_000 };

describe("what a donator writes is text", () => {
  test.each(injections)("%s", async (text) => {
    const tab = await open();
    await tab.page.evaluate("window.violations = 0; addEventListener('securitypolicyviolation', () => window.violations++)");
    const elements = await tab.page.evaluate("document.querySelectorAll('*').length");
    await connected();
    fake.play(playbackOf({ donatorName: text.slice(0, 50), message: text }));
    await untilEvent(tab, "started");
    expect(await textOf(tab, "name")).toBe(text.slice(0, 50));
    expect(await textOf(tab, "text")).toBe(text);
    expect(await tab.page.evaluate("[window.violations, window.ran ?? null, document.querySelectorAll('*:not(audio)').length]")).toEqual([
      0,
      null,
      elements,
    ]);
    expect(tab.complaints).toEqual([]);
  });
});

test("name, amount and message are shown, spoken to those who can't see, and gone after the end", async () => {
  const tab = await open();
  await connected();
  fake.play(playbackOf({ donatorName: "  ผู้ใหญ่\u202E ใจดี ", amount: 1234.5, message: "น้ำใจ\nงาม" }));
  await untilEvent(tab, "started");
  expect([await textOf(tab, "name"), await textOf(tab, "amount"), await textOf(tab, "text")]).toEqual([
    "ผู้ใหญ่ ใจดี",
    "฿1,234.50",
    "น้ำใจ งาม",
  ]);
  expect(await tab.page.locator("[role=status][aria-live=polite]").textContent()).toContain("฿1,234.50");
  await untilEvent(tab, "ended");
  expect(await textOf(tab, "name")).toBeNull();
  expect((await tab.page.locator("[role=status]").textContent())?.trim()).not.toContain("฿");
  await until(steps, (seen) => seen.length === 2);
  expect(steps()).toEqual(["started", "ended"]);
  expect(tab.complaints).toEqual([]);
});

test("the chime and the speech are heard to their end before the end is acknowledged", async () => {
  const tab = await open();
  await connected();
  fake.speech = tone(3);
  fake.play(playbackOf({ speech: { ...speech, durationMs: 3_000 } }));
  await untilStep("ended");
  const seen = await journal(tab);
  const [chime, spoken] = seen.filter(({ event }) => event === "sound");
  expect([chime?.sound, chime?.outcome, spoken?.sound, spoken?.outcome]).toEqual(["chime", "ended", "speech", "ended"]);
  expect(chime?.seconds).toBeGreaterThan(1);
  expect(spoken?.seconds).toBeGreaterThan(2.9);
  const ended = fake.acknowledgements.find(({ step }) => step === "ended");
  const started = fake.acknowledgements.find(({ step }) => step === "started");
  expect(ended?.at).toBeGreaterThan(spoken?.at ?? Number.NaN);
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThan(4_000);
  expect(tab.complaints).toEqual([]);
});

test("skip: the page is empty at once, and nothing is acknowledged", async () => {
  const tab = await open();
  await connected();
  const playback = playbackOf({ speech });
  fake.play(playback);
  await untilEvent(tab, "started");
  fake.stop(playback.id);
  await untilEvent(tab, "stopped");
  expect(await textOf(tab, "name")).toBeNull();
  expect(await tab.page.locator("audio").count()).toBe(0);
  await tab.page.waitForTimeout(3_500);
  expect(steps()).toEqual(["started"]);
  fake.play(playbackOf());
  await untilStep("ended");
});

test("reload in mid-alert: the same player plays it from the beginning, and ends it once", async () => {
  const tab = await open();
  await connected();
  fake.play(playbackOf({ speech }));
  await untilStep("started");
  await tab.page.reload();
  expect(await untilEvent(tab, "ended")).toEqual(["shown", "started", "ended"]);
  await untilStep("ended");
  expect(steps()).toEqual(["started", "started", "ended"]);
  expect(new Set(fake.acknowledgements.map(({ player }) => player)).size).toBe(1);
});

test("an end that the server did not hear before the page was left is said by the next page, and nothing is shown again", async () => {
  const tab = await open();
  await connected();
  fake.failures.ended = Array(50).fill(503);
  fake.play(playbackOf());
  await untilEvent(tab, "ended");
  await until(steps, (seen) => seen.includes("ended"));
  await tab.page.goto("about:blank"); // the worker goes with its last page
  const unheard = fake.acknowledgements.length;
  fake.failures.ended = [];
  await tab.page.goto(`${fake.url}/overlay/#${fake.key}`);
  await until(steps, (seen) => seen.slice(unheard).includes("ended"));
  // An acknowledgement whose answer is late is sent again: the server takes it once.
  expect([await events(tab), [...new Set(steps().slice(unheard))]]).toEqual([[], ["started", "ended"]]);
  expect(new Set(fake.acknowledgements.map(({ player }) => player)).size).toBe(1);
  await tab.page.reload();
  await connected();
  await tab.page.waitForTimeout(1_000);
  expect([await events(tab), [...new Set(steps().slice(unheard))]]).toEqual([[], ["started", "ended"]]);
});

test("reload in mid-alert with a widget open: no connection is lost over it", async () => {
  const tab = await open();
  await open({ context: tab.context, path: "total" });
  await connected();
  const [stream] = fake.streams;
  fake.play(playbackOf({ speech }));
  await untilStep("started");
  await tab.page.reload();
  expect(await untilEvent(tab, "ended")).toEqual(["shown", "started", "ended"]);
  await untilStep("ended");
  expect(fake.streams).toEqual([stream]);
});

test("eight pages at once hold one connection, and one plays; when it goes, another plays it", async () => {
  const first = await open();
  const others = await Promise.all(["", "goal", "", "total", "recent", "", "top"].map((path) => open({ context: first.context, path })));
  const all = [first, ...others];
  await until(
    () => fake.streams.map(({ query }) => query.get("plays")),
    (streams) => streams.length === 1 && streams[0] === "true",
  );
  fake.play(playbackOf({ speech }));
  await untilStep("started");
  const playing = async () => (await Promise.all(all.map(events))).map((seen) => seen.includes("started"));
  const at = (await playing()).indexOf(true);
  expect((await playing()).filter(Boolean).length).toBe(1);
  const [gone] = all.splice(at, 1);
  await gone?.page.close();
  await untilStep("ended");
  expect((await playing()).filter(Boolean).length).toBe(1);
  expect(steps()).toEqual(["started", "started", "ended"]);
  expect(fake.streams.length).toBe(1);
});

test("a crash of the playing page, which may take the worker along: another page plays it", async () => {
  const first = await open();
  const all = [first, await open({ context: first.context }), await open({ context: first.context })];
  await connected();
  fake.speech = tone(4);
  fake.play(playbackOf({ speech: { ...speech, durationMs: 4_000 } }));
  await untilStep("started");
  const at = (await Promise.all(all.map(events))).findIndex((seen) => seen.includes("started"));
  const [crashed] = all.splice(at, 1);
  const devtools = await first.context.newCDPSession((crashed as OverlayTab).page);
  void devtools.send("Page.crash").catch(() => {});
  await untilStep("ended");
  expect((await Promise.all(all.map(events))).flat().sort()).toEqual(["ended", "shown", "started"]);
});

test.each([
  ["the page plays on", 12],
  ["what ended meanwhile is acknowledged and not played again", 2],
])("a crash of the worker alone: %s", async (_title, seconds) => {
  const tab = await open();
  await connected();
  fake.speech = tone(seconds);
  fake.play(playbackOf({ speech: { ...speech, durationMs: seconds * 1000 } }));
  await untilStep("started");
  const devtools = await browser.newBrowserCDPSession();
  const { targetInfos } = await devtools.send("Target.getTargets");
  const worker = targetInfos.find(({ type }) => type === "shared_worker");
  await devtools.send("Target.closeTarget", { targetId: worker?.targetId ?? "" });
  await until(steps, (seen) => seen.includes("ended"), 25_000);
  await tab.page.waitForTimeout(1_000);
  expect(await events(tab)).toEqual(["shown", "started", "ended"]);
  expect(fake.streams.length).toBe(1);
});

describe("the server goes in mid-play", () => {
  async function cut(): Promise<OverlayTab> {
    const tab = await open();
    await connected();
    fake.speech = tone(4);
    fake.play(playbackOf({ speech: { ...speech, durationMs: 4_000 } }));
    await untilStep("started");
    fake.refusals = [0, 503];
    fake.cut();
    return tab;
  }

  test("the alert goes on when the server says so", async () => {
    const tab = await cut();
    const [stream] = await until(
      () => [...fake.streams],
      (streams) => streams.length === 1,
    );
    expect(stream?.query.get("playing")).toBe(fake.snapshot.playback?.id);
    await untilStep("ended");
    expect(await events(tab)).toEqual(["shown", "started", "ended"]);
  });

  test("it stops when another has it now", async () => {
    const tab = await cut();
    fake.snapshot.playback = null;
    await untilEvent(tab, "stopped");
    expect(await textOf(tab, "name")).toBeNull();
    expect(steps()).toEqual(["started"]);
  });

  test("its end reaches the server later, once", async () => {
    fake.failures.ended = [0, 503, 0];
    const tab = await cut();
    await untilEvent(tab, "ended");
    await until(steps, (seen) => seen.filter((step) => step === "ended").length >= 4);
    await until(
      () => fake.snapshot.playback,
      (playback) => playback === null,
    );
    expect(await events(tab)).toEqual(["shown", "started", "ended"]);
  });
});

describe("nothing hangs", () => {
  test.each<[string, () => void]>([
    ["speech that is not there", () => void (fake.speech = Buffer.alloc(0))],
    ["speech that is no sound", () => void (fake.speech = Buffer.from("this is not audio"))],
  ])("%s", async (_title, break_) => {
    const tab = await open();
    await connected();
    break_();
    fake.play(playbackOf({ speech }));
    await untilStep("ended");
    expect(await events(tab)).toEqual(["shown", "started", "ended"]);
  });

  test("a browser that allows no sound shows the alert silently", async () => {
    const strict = await startChromium();
    try {
      const tab = await openOverlay(strict, fake);
      await connected();
      fake.play(playbackOf({ speech }));
      await untilStep("ended");
      const sounds = (await journal(tab)).filter(({ event }) => event === "sound");
      expect(sounds.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
    } finally {
      await strict.close();
    }
  });
});

test("a key that is not good (any more): nothing is shown and nothing is tried again", async () => {
  fake.key = "old";
  const tab = await open({ path: "?debug" });
  await connected();
  fake.play(playbackOf());
  await untilEvent(tab, "started");
  fake.key = "new";
  fake.cut();
  await untilEvent(tab, "stopped");
  await until(
    () => tab.page.locator(".notice").textContent(),
    (text) => text === "refused",
  );
  const asked: string[] = [];
  tab.page.on("request", (request) => asked.push(request.url()));
  await tab.page.waitForTimeout(2_000);
  expect(asked).toEqual([]);
  expect(fake.streams).toEqual([]);
});

test("without a key, and without a notice unless one is asked for, the page is empty", async () => {
  fake.key = "";
  const tab = await open();
  await tab.page.waitForTimeout(300);
  expect((await tab.page.locator("body").innerText()).trim()).toBe("");
  expect(fake.streams).toEqual([]);
});

test("a browser without SharedWorker plays all the same", async () => {
  const tab = await open({ script: "delete window.SharedWorker" });
  await connected();
  fake.play(playbackOf({ speech }));
  await untilStep("started");
  await tab.page.reload();
  await untilStep("ended");
  expect(steps()).toEqual(["started", "started", "ended"]);
  expect(new Set(fake.acknowledgements.map(({ player }) => player)).size).toBe(1);
});

test("the custom CSS of OBS is applied", async () => {
  const tab = await open();
  await tab.page.evaluate(
    "document.head.appendChild(document.createElement('style')).appendChild(document.createTextNode(':root { --ink: rgb(1, 2, 3); } body { background: url(//evil.example/x.png) }'))",
  );
  expect(await tab.page.evaluate("getComputedStyle(document.body).color")).toBe("rgb(1, 2, 3)");
  expect(tab.complaints.filter((complaint) => complaint.startsWith("failed"))).toEqual([]);
});

test("who wants less movement gets less", async () => {
  const tab = await open({ options: { reducedMotion: "reduce" } });
  await connected();
  fake.play(playbackOf({ amount: 5_000 }));
  await untilEvent(tab, "started");
  const moving = "[...new Set(document.getAnimations().map((one) => one.animationName))].sort()";
  expect((await tab.page.evaluate(`${moving}`)) as string[]).not.toEqual(expect.arrayContaining(["rise"]));
  expect(await tab.page.evaluate("getComputedStyle(document.querySelector('.hearts svg')).animationName")).toBe("none");
  await untilEvent(tab, "ended");
});

describe("looks", () => {
  const long = "ขอบคุณสำหรับสตรีมครับ ผู้ใหญ่ใจดี ".repeat(8).slice(0, 255);
  test.each<[string, object]>([
    ["thai", { amount: 500, message: "กุ้งกี้ ปู่ย่า ฏุฎู้ ที่นี่ ผู้ใหญ่ น้ำแข็ง เกี๊ยวซ่า" }],
    ["long", { donatorName: "พี่ผู้ใหญ่ใจดีจากกรุงเทพมหานครอมรรัตนโกสินทร์มหิน", amount: 1_000_000, message: long }],
    ["wide", { donatorName: "W".repeat(50), amount: 999_999.99, message: "W".repeat(255) }],
    ["rtl", { donatorName: "محمد عبد الله", message: "شكرا جزيلا 123 abc! \u202Eevil" }],
    ["emoji", { donatorName: "🐱 Nyan 🌈", message: "❤️ 👨‍👩‍👧‍👦 🇹🇭 555" }],
    ["zalgo", { donatorName: `Z${"\u0301\u0316\u0334".repeat(15)}`, message: `ก${"้".repeat(200)}` }],
    ["short", { donatorName: "ก", amount: 1, message: null }],
  ])("%s: everything is on the card, and the card in the picture", async (name, words) => {
    const tab = await open();
    await connected();
    fake.play(playbackOf(words));
    await untilEvent(tab, "started");
    await tab.page.waitForTimeout(900);
    await picture(tab, `alert-${name}`);
    const boxes: number[][] = await tab.page.evaluate(
      "['.card', '.name', '.amount'].map((one) => { const { left, top, right, bottom } = document.querySelector(one).getBoundingClientRect(); return [left, top, right, bottom]; })",
    );
    for (const [left = -1, top = -1, right = 9_999, bottom = 9_999] of boxes)
      expect([left >= 0, top >= 0, right <= 800, bottom <= 600], boxes.join()).toEqual([true, true, true, true]);
    const tooMuch = "['.name', '.amount'].map((one) => document.querySelector(one)).map((one) => one.scrollWidth > one.clientWidth + 1)";
    expect(await tab.page.evaluate(tooMuch)).toEqual([false, false]);
  });

  test("Thai and Latin letters come from the bundled font", async () => {
    const tab = await open();
    await connected();
    fake.play(playbackOf({ donatorName: "น้ำใจ Kindness", message: "น้ำใจ Kindness" }));
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

  test("around the card the picture is transparent, and nothing at all is there between alerts", async () => {
    const tab = await open();
    await connected();
    expect(await opaque(tab)).toBe(0);
    fake.play(playbackOf());
    await untilEvent(tab, "started");
    await tab.page.waitForTimeout(800);
    const share = await opaque(tab);
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.6);
    await untilEvent(tab, "ended");
    expect(await opaque(tab)).toBe(0);
  });
});

/** Which part of the page's picture can be seen at all. */
async function opaque({ page, context }: OverlayTab): Promise<number> {
  const png = (await page.screenshot({ omitBackground: true })).toString("base64");
  const reader = await context.newPage();
  const share = await reader.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64,${png}")).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    return data.filter((value, index) => index % 4 === 3 && value > 0).length / (data.length / 4);
  })()`);
  await reader.close();
  return share as number;
}
