// A page of the overlay or of a widget in Chromium, with the faults that it reports, and the set-up of the tests of the overlay page: a fake overlay
// server for each test.

import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterEach, beforeEach, expect } from "vitest";
import { target } from "../../suite/values/target.ts";
import { openChromium, still } from "./chromium.ts";
import { type FakeOverlay, type Playback, startFakeOverlay } from "./fake-overlay.ts";

/** The size that OBS gives a browser source by default. */
export const obsViewport: BrowserContextOptions = { viewport: { width: 800, height: 600 } };

export type Entry = { at: number; event: string; playbackId: string; sound: string; outcome: string; seconds: number };

/** A page of the overlay or a widget, with its faults: console errors and dialogs. */
export type OverlayTab = { page: Page; context: BrowserContext; complaints: string[] };

/** Address of the server and overlay key for the page. */
type Origin = { url: string; key: string };

/** Opens a page below /overlay/, in a new context of the Chromium of the worker unless `context` is given. */
export async function openOverlay(
  { url, key }: Origin,
  {
    path = "",
    context,
    options = {},
    script,
  }: { path?: string; context?: BrowserContext; options?: BrowserContextOptions; script?: string } = {},
): Promise<OverlayTab> {
  const own = context ?? (await (await openChromium()).newContext({ ...obsViewport, ...still, ...options }));
  const page = await own.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  if (script) await page.addInitScript(script);
  await page.goto(`${url}/overlay/${path}#${key}`);
  return { page, context: own, complaints };
}

export const journal = ({ page }: OverlayTab): Promise<Entry[]> => page.evaluate("window.journal");

export const events = async (tab: OverlayTab): Promise<string[]> =>
  (await journal(tab)).filter(({ event }) => ["shown", "started", "ended", "stopped"].includes(event)).map(({ event }) => event);

/** Evaluated in the page: puts every movement that ends, such as the card's coming in, at its end. */
export const finishMovements =
  "document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime)).forEach((one) => one.finish())";

/** Waits until the value satisfies the condition; fails after `timeoutMs` with the last value. */
export async function until<T>(read: () => T | Promise<T>, isMet: (value: T) => boolean, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (isMet(value)) return value;
    if (Date.now() > deadline) expect.fail(`condition not met within ${timeoutMs / 1000} s; the last value was ${JSON.stringify(value)}`);
    await sleep(40);
  }
}

export const untilEvent = (tab: OverlayTab, event: string): Promise<string[]> =>
  until(
    () => events(tab),
    (seen) => seen.includes(event),
  );

/** Returns the text of a part of the page; null while it is not visible. */
export const textOf = async ({ page }: OverlayTab, part: string): Promise<string | null> => {
  const element = page.locator(`[data-part="${part}"]`);
  return (await element.isVisible()) ? element.textContent() : null;
};

/** What is drawn on the page: the highest opacity, from 0 to 255, of a pixel of its edge, and the share of all pixels that are not transparent. */
export async function drawnOn({ page, context }: Pick<OverlayTab, "page" | "context">): Promise<{ edge: number; share: number }> {
  const png = (await page.screenshot({ omitBackground: true })).toString("base64");
  const reader = await context.newPage();
  const drawn = await reader.evaluate(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch("data:image/png;base64,${png}")).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    canvas.drawImage(bitmap, 0, 0);
    const { width, height } = bitmap;
    const { data } = canvas.getImageData(0, 0, width, height);
    const opacity = (x, y) => data[(y * width + x) * 4 + 3];
    let [edge, drawn] = [0, 0];
    for (let x = 0; x < width; x += 1) edge = Math.max(edge, opacity(x, 0), opacity(x, height - 1));
    for (let y = 0; y < height; y += 1) edge = Math.max(edge, opacity(0, y), opacity(width - 1, y));
    for (let index = 3; index < data.length; index += 4) drawn += data[index] > 0 ? 1 : 0;
    return { edge, share: drawn / (width * height) };
  })()`);
  await reader.close();
  return drawn as { edge: number; share: number };
}

type OverlaySetup = {
  /** The fake server of the current test. */
  fake: FakeOverlay;
  /** Opens an overlay page, which is closed after the test. */
  open: (options?: Parameters<typeof openOverlay>[1]) => Promise<OverlayTab>;
  /** Waits until a page has opened its event stream. */
  untilConnected: () => Promise<number>;
  /** The acknowledged steps so far, in order of arrival. */
  steps: () => string[];
  untilStep: (step: string) => Promise<string[]>;
  /** Waits until the start of this playback is acknowledged. */
  untilStarted: (playback: Playback) => Promise<boolean>;
  /** Sets how long alerts that begin from now on are shown at least: a minute, for a look at a card that stays, or as short as otherwise. */
  setMinimum: (seconds: 60 | 2) => void;
};

/** A speech file for playbacks. */
export const speech = { id: "speech-1", mime: "audio/wav", durationMs: 1_000 };

/** Registers the hooks of a test file. `fake` is set before each test. */
export function setUpOverlay(): OverlaySetup {
  const tabs: OverlayTab[] = [];
  const steps = () => setup.fake.acknowledgements.map(({ step }) => step);
  const setup = {
    open: async (options = {}) => {
      const tab = await openOverlay(setup.fake, options);
      tabs.push(tab);
      return tab;
    },
    untilConnected: () =>
      until(
        () => setup.fake.streams.length,
        (count) => count > 0,
      ),
    steps,
    untilStep: (step) => until(steps, (seen) => seen.includes(step)),
    untilStarted: ({ id }) => until(() => setup.fake.acknowledgements.some(({ playbackId }) => playbackId === id), Boolean),
    setMinimum: (minimumSeconds) => {
      const { snapshot } = setup.fake;
      snapshot.settings.minimumSeconds = minimumSeconds;
      const { paused, hidden, settings, sound } = snapshot;
      setup.fake.send("settings", { paused, hidden, settings, sound });
    },
  } as OverlaySetup;
  beforeEach(async () => {
    setup.fake = await startFakeOverlay(target().url);
  });
  afterEach(async () => {
    for (const { context } of tabs.splice(0)) await context.close();
    setup.fake.close();
  });
  return setup;
}

/** Texts that try to run as script, markup or SQL. */
export const injections = [
  `<script>window.ran = 1</script>`,
  `"><img src=x onerror=alert(1)>`,
  `<svg/onload=alert(1)>`,
  `<iframe srcdoc="<script>parent.ran=1</script>">`,
  `<style>*{display:none}</style>`,
  `javascript:alert(1)`,
  `{{constructor.constructor('alert(1)')()}}`,
  `\${alert(1)} \`x\` $&`,
  `&lt;b&gt; &amp; &#x3C;`,
  `</p></div></main><h1>out</h1>`,
  `'; DROP TABLE donations; --`,
  `<a href="//evil.example">x</a><base href=//evil.example>`,
];
