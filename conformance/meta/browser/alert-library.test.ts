// Pictures, sounds and typefaces of the library on the overlay: loaded when they are shown, and not before.

import { expect, test } from "vitest";

import { takeScreenshot } from "./chromium.ts";
import { playbackOf } from "./fake-overlay.ts";
import { setUpOverlay } from "./overlay-setup.ts";
import { finishMovements, journal, type OverlayTab, until, untilEvent } from "./overlay-tab.ts";

const overlay = setUpOverlay();
const { open, untilConnected, untilStarted, setMinimum } = overlay;

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
