// Set-up of the tests of the overlay page: Chromium, and a fake overlay server for each test.

import type { Browser } from "playwright-core";
import { afterEach, beforeAll, beforeEach } from "vitest";

import { target } from "../../suite/values/target.ts";
import { openChromium } from "./chromium.ts";
import { type FakeOverlay, type Playback, startFakeOverlay } from "./fake-overlay.ts";
import { type OverlayTab, openOverlay, until } from "./overlay-tab.ts";

export type OverlaySetup = {
  /** Chromium, shared by the tests of a file. */
  browser: Browser;
  /** The fake server of the current test. */
  fake: FakeOverlay;
  /** Opens an overlay page, which is closed after the test. */
  open: (options?: Parameters<typeof openOverlay>[2]) => Promise<OverlayTab>;
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

/** Registers the hooks of a test file. `browser` and `fake` are set before each test. */
export function setUpOverlay(): OverlaySetup {
  const tabs: OverlayTab[] = [];
  const steps = () => setup.fake.acknowledgements.map(({ step }) => step);
  const setup = {
    open: async (options = {}) => {
      const tab = await openOverlay(setup.browser, setup.fake, options);
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
  beforeAll(async () => {
    setup.browser = await openChromium();
  });
  beforeEach(async () => {
    setup.fake = await startFakeOverlay(target().url);
  });
  afterEach(async () => {
    for (const { context } of tabs.splice(0)) await context.close();
    setup.fake.close();
  });
  return setup;
}
