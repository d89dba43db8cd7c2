// The overlay page plays an alert: what it shows, what is heard, what it acknowledges.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { moving, openTab, type Tab, takeScreenshot } from "../../conformance/meta/browser/chromium.ts";
import { playbackOf, tone } from "../../conformance/meta/browser/fake-overlay.ts";
import {
  events,
  finishMovements,
  injections,
  journal,
  type OverlayTab,
  openOverlay,
  setUpOverlay,
  speech,
  textOf,
  until,
  untilEvent,
} from "../../conformance/meta/browser/overlay-tab.ts";
import { startChromium } from "../../conformance/meta/browser/start-chromium.ts";
import { media } from "../../conformance/suite/values/media.ts";

const overlay = setUpOverlay();

const { open, untilConnected, steps, untilStep, untilStarted, setMinimum } = overlay;

test("name and message of donators are shown as text, never run as markup", async () => {
  const tab = await open();
  await tab.page.evaluate("window.violations = 0; addEventListener('securitypolicyviolation', () => window.violations++)");
  const elements = await tab.page.evaluate("document.querySelectorAll('*').length");
  const state = "[window.violations, window.ran ?? null, document.querySelectorAll('*:not(audio)').length]";
  await untilConnected();
  setMinimum(60);
  for (const text of injections) {
    const playback = playbackOf({ donatorName: text.slice(0, 50), message: text });
    overlay.fake.play(playback);
    await untilStarted(playback);
    expect([await textOf(tab, "name"), await textOf(tab, "text")]).toEqual([text.slice(0, 50), text]);
    await expect.poll(() => tab.page.evaluate(state), { message: text }).toEqual([0, null, elements]);
    overlay.fake.stop(playback.id);
  }
  expect(tab.complaints).toEqual([]);
});

test("an alert shows name, amount and message, announces them to screen readers, and disappears after its end", async () => {
  const tab = await open({ options: moving });
  await untilConnected();
  overlay.fake.play(playbackOf({ donatorName: "  ผู้ใหญ่\u202E ใจดี ", amount: 1234.5, message: "น้ำใจ\nงาม" }));
  await untilEvent(tab, "started");
  expect([await textOf(tab, "name"), await textOf(tab, "amount"), await textOf(tab, "text")]).toEqual([
    "ผู้ใหญ่ ใจดี",
    "฿1,234.50",
    "น้ำใจ งาม",
  ]);
  await expect.poll(() => tab.page.locator("[role=status][aria-live=polite]").textContent()).toContain("฿1,234.50");
  await untilEvent(tab, "ended");
  await expect.poll(() => textOf(tab, "name")).toBeNull();
  expect((await tab.page.locator("[role=status]").textContent())?.trim()).not.toContain("฿");
  await until(steps, (seen) => seen.length === 2);
  expect(steps()).toEqual(["started", "ended"]);
  expect(tab.complaints).toEqual([]);
});

test("the end of an alert is acknowledged after chime and speech were played to their end", async () => {
  const tab = await open();
  await untilConnected();
  overlay.fake.speech = tone(3);
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 3_000 } }));
  await untilStep("ended");
  const seen = await journal(tab);
  const [chime, speechEntry] = seen.filter(({ event }) => event === "sound");
  expect([chime?.sound, chime?.outcome, speechEntry?.sound, speechEntry?.outcome]).toEqual(["chime", "ended", "speech", "ended"]);
  expect(chime?.seconds).toBeGreaterThan(1);
  expect(speechEntry?.seconds).toBeGreaterThan(2.9);
  const ended = overlay.fake.acknowledgements.find(({ step }) => step === "ended");
  const started = overlay.fake.acknowledgements.find(({ step }) => step === "started");
  expect(ended?.at).toBeGreaterThan(speechEntry?.at ?? Number.NaN);
  expect((ended?.at ?? 0) - (started?.at ?? 0)).toBeGreaterThan(4_000);
  expect(tab.complaints).toEqual([]);
});

test("speech is played at the speed of the settings, at its own pitch, and the chime at its own speed", async () => {
  const tab = await open();
  await untilConnected();
  const { snapshot } = overlay.fake;
  overlay.fake.send("settings", { paused: false, hidden: false, settings: { ...snapshot.settings, speechSpeed: 1.5 } });
  overlay.fake.speech = tone(3);
  const playing = () =>
    tab.page.evaluate(
      "(({ dataset, playbackRate, preservesPitch }) => [dataset.sound, playbackRate, preservesPitch])(document.querySelector('audio'))",
    );
  overlay.fake.play(playbackOf({ speech: { ...speech, durationMs: 3_000 } }));
  await expect.poll(() => playing().catch(() => null)).toEqual(["chime", 1, true]);
  await expect.poll(() => playing().catch(() => null)).toEqual(["speech", 1.5, true]);
  await untilStep("ended");
  const spoken = (await journal(tab)).find(({ sound }) => sound === "speech");
  expect(spoken?.outcome).toBe("ended");
});

test("a skipped alert disappears at once, and its end is not acknowledged", async () => {
  const tab = await open();
  await untilConnected();
  const playback = playbackOf({ speech });
  overlay.fake.play(playback);
  await untilEvent(tab, "started");
  overlay.fake.stop(playback.id);
  await untilEvent(tab, "stopped");
  await expect.poll(() => textOf(tab, "name")).toBeNull();
  await expect.poll(() => tab.page.locator("audio").count()).toBe(0);
  // The first one would have ended by itself before the second one, which is spoken for longer.
  const next = playbackOf({ speech: { ...speech, durationMs: 3_000 } });
  overlay.fake.speech = tone(3);
  overlay.fake.play(next);
  await untilStep("ended");
  expect(overlay.fake.acknowledgements.map(({ playbackId, step }) => [playbackId, step])).toEqual([
    [playback.id, "started"],
    [next.id, "started"],
    [next.id, "ended"],
  ]);
});

describe("missing sound", () => {
  test.each<[string, () => void]>([
    ["empty", () => void (overlay.fake.speech = Buffer.alloc(0))],
    ["not audio", () => void (overlay.fake.speech = Buffer.from("this is not audio"))],
  ])("an alert whose speech file is %s is shown to its end", async (_title, breakSpeech) => {
    const tab = await open();
    await untilConnected();
    breakSpeech();
    overlay.fake.play(playbackOf({ speech }));
    await untilStep("ended");
    await expect.poll(() => events(tab)).toEqual(["shown", "started", "ended"]);
  });

  test("a browser that blocks sound shows the alert silently", async () => {
    const strict = await startChromium();
    try {
      const tab = await openOverlay(overlay.fake, { context: await strict.newContext() });
      await untilConnected();
      overlay.fake.play(playbackOf({ speech }));
      await untilStep("ended");
      const sounds = (await journal(tab)).filter(({ event }) => event === "sound");
      expect(sounds.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
    } finally {
      await strict.close();
    }
  });
});

const style = {
  ...{ theme: "namjai", position: null, size: 100, fontSize: 100, enter: "theme", leave: "theme" },
  ...{ cardColor: null, textColor: null, accentColor: null, secondColor: null, font: null },
};

const variation = {
  ...{ name: "a", from: 0, to: null, sources: null, channels: null, style, seconds: null, template: null, voice: null },
  ...{ image: null, libraryImage: null, sound: null, librarySound: null, speak: true, confetti: false },
};

/** The files of typefaces and of the library that the page has asked for, without their hashes. */
const loaded = ({ page }: OverlayTab): Promise<string[]> =>
  page.evaluate(`performance.getEntriesByType("resource").map(({ name }) => name.split("/overlay/")[1] ?? "")
    .filter((name) => /\\.woff2$|^library|\\.css$/.test(name)).map((name) => name.replace(/-[\\w]{8}(?=\\.(?:woff2|css)$)/, "")).sort()`);

const facesOf = (family: string) =>
  ["latin", "thai"].flatMap((subset) => [500, 700].map((weight) => `assets/${family}-${subset}-${weight}-normal.woff2`));

const ofPage = [...facesOf("prompt"), "assets/overlay.css"];

const fontOfName = ({ page }: OverlayTab) => page.evaluate("getComputedStyle(document.querySelector('.name')).fontFamily");

const firstSound = async (tab: OverlayTab) => {
  const isSound = ({ event }: { event: string }) => event === "sound";
  const entries = await until(
    () => journal(tab),
    (seen) => seen.some(isSound),
  );
  return entries.find(isSound);
};

test("an alert shows its picture and its typeface, and plays its sound, which the page loads for it and not before", async () => {
  const tab = await open();
  await untilConnected();
  expect(await loaded(tab)).toEqual(ofPage.toSorted());
  setMinimum(60);
  const mine = { ...variation, libraryImage: "naga", librarySound: "pop", style: { ...style, font: "kanit" } };
  overlay.fake.play(playbackOf({ donatorName: "น้องมะลิ Malee", variation: mine }));
  await untilEvent(tab, "started");
  const ofAlert = ["assets/kanit.css", ...facesOf("kanit"), "library/naga.svg", "library/pop.wav"];
  expect(await loaded(tab)).toEqual([...ofPage, ...ofAlert].toSorted());
  expect(await tab.page.evaluate("document.querySelector('.picture img').naturalWidth")).toBe(512);
  expect(await fontOfName(tab)).toBe("Kanit, Prompt, sans-serif");
  expect(await tab.page.evaluate("document.fonts.check('700 1rem Kanit', 'กA')")).toBe(true);
  expect(await firstSound(tab)).toMatchObject({ sound: "own", outcome: "ended" });
  await tab.page.evaluate(finishMovements);
  await takeScreenshot(tab, "alert-library");
  expect(tab.complaints).toEqual([]);
});

test("a theme's own typeface is loaded with the alert, and the next alert without a variation has the page's again", async () => {
  const tab = await open();
  await untilConnected();
  setMinimum(60);
  const first = playbackOf({ variation: { ...variation, style: { ...style, theme: "paper" } } });
  overlay.fake.play(first);
  await untilStarted(first);
  expect(await fontOfName(tab)).toBe("Mali, Prompt, sans-serif");
  expect(await tab.page.evaluate("document.fonts.check('700 1rem Mali', 'กA')")).toBe(true);
  overlay.fake.stop(first.id);
  const second = playbackOf({});
  overlay.fake.play(second);
  await untilStarted(second);
  expect(await fontOfName(tab)).toMatch(/^Prompt,/);
  overlay.fake.stop(second.id);
});

test("a picture, a sound and a typeface that a later version names leave an alert with its usual look and sound", async () => {
  const tab = await open();
  await untilConnected();
  setMinimum(60);
  const later = { ...variation, libraryImage: "unicorn", librarySound: "neigh", style: { ...style, font: "thonburi" } };
  const playback = playbackOf({ variation: later });
  overlay.fake.play(playback);
  await untilStarted(playback);
  expect(await fontOfName(tab)).toMatch(/^Prompt,/);
  expect(await tab.page.locator(".picture img").count()).toBe(0);
  expect(await firstSound(tab)).toMatchObject({ sound: "chime", outcome: "ended" });
  overlay.fake.stop(playback.id);
});

// A file of each type that alerts may have is shown or heard by Chromium, which OBS has as well.

let tab: Tab;

beforeAll(async () => {
  tab = await openTab();
});

afterAll(() => tab.context.close());

test.each(media)("Chromium shows or plays an uploaded file of the type $type", async ({ type, kind, width, height, bytes }) => {
  const address = JSON.stringify(`data:${type};base64,${bytes.toString("base64")}`);
  const element = type === "video/webm" ? "video" : kind === "image" ? "img" : "audio";
  const shown = await tab.page.evaluate(`new Promise((resolve, reject) => {
    const element = document.createElement("${element}");
    element.onerror = () => reject(new Error("it is not shown"));
    element.onload = () => resolve([element.naturalWidth, element.naturalHeight]);
    element.onloadeddata = () => resolve("${element}" === "video" ? [element.videoWidth, element.videoHeight] : [null, null]);
    element.src = ${address};
  })`);
  expect(shown).toEqual([width, height]);
});
