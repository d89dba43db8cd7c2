// Set-up of the tests of the whole way from a donation to picture and sound: a server process with a speech engine, and pages in
// Chromium. Nothing is faked, and each test has its own streamer.

import type { BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Donation, get, readDonation } from "../../suite/client/api.ts";
import { change, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { type SpeechEngine, startSpeechEngine } from "../../suite/client/overlay/speech-engine.ts";
import { type Process, startProcess } from "../../suite/servers/start-server.ts";
import { target } from "../../suite/values/target.ts";
import { tone } from "./fake-overlay.ts";
import { type Entry, journal, type OverlayTab, openOverlay, textOf, until } from "./overlay-tab.ts";
import { createLiveStreamer, type LiveStreamer } from "./streamers.ts";

type AlertSetup = {
  engine: SpeechEngine;
  /** The streamer of the current test. */
  streamer: LiveStreamer;
  createStreamer: () => Promise<LiveStreamer>;
  /** Opens a page below /overlay/, of the test's streamer unless `of` is given. It is closed after the test. */
  open: (path?: string, options?: Parameters<typeof openOverlay>[1] & { of?: LiveStreamer }) => Promise<OverlayTab>;
  /** Waits until an overlay page is connected, so that a donation is played at once. */
  untilConnected: (streamer?: LiveStreamer) => Promise<unknown>;
  untilStatus: (id: string, status: string, streamer?: LiveStreamer) => Promise<Donation>;
};

export const speechSeconds = 1.5;

/** The events of an alert that is played from its beginning to its end. */
export const wholeAlert = ["shown", "started", "chime ended", "speech ended", "ended"];

/** Registers the hooks of a test file. `engine` and `streamer` are set before each test. */
export function setUpAlerts(): AlertSetup {
  const contexts = new Set<BrowserContext>();
  let server: Process | null = null;
  const setup = {
    createStreamer: () => createLiveStreamer(target().operator!, server!.url),
    open: async (path = "", options = {}) => {
      const tab = await openOverlay(options.of ?? setup.streamer, { path, ...options });
      contexts.add(tab.context);
      return tab;
    },
    untilConnected: ({ as } = setup.streamer) =>
      until(
        async () => queueOf(await queue(as)),
        ({ connected }) => connected,
      ),
    untilStatus: (id, status, { as } = setup.streamer) =>
      until(
        async () => readDonation(await get(id, as)),
        ({ alert }) => alert.status === status,
      ),
  } as AlertSetup;
  beforeAll(async () => {
    const { operator } = target();
    if (!operator) return;
    setup.engine = await startSpeechEngine(tone(speechSeconds), { delayMs: 300 });
    server = await startProcess(operator, "alert", { TTS_URL: setup.engine.url });
  }, 90_000);
  afterAll(async () => {
    await server?.stop();
    setup.engine?.close();
  });
  beforeEach(async (context) => {
    if (!server) return context.skip("not run: needs the operator's command line, which API_URL's server does not offer");
    setup.engine.speech = tone(speechSeconds);
    setup.streamer = await setup.createStreamer();
    await change({ minimumSeconds: 2, maximumSeconds: 5 }, setup.streamer.as);
  }, 60_000);
  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts.clear();
  });
  return setup;
}

/** Waits until a part of the page has this text; null waits until it is hidden. */
export const untilText = (tab: OverlayTab, part: string, text: string | null): Promise<string | null> =>
  until(
    () => textOf(tab, part),
    (seen) => seen === text,
  );

/** Returns the journal entries of a page about one donation. */
export const entriesOf = async (tab: OverlayTab, { id }: Pick<Donation, "id">): Promise<Entry[]> =>
  (await journal(tab)).filter((entry) => (entry as Entry & { donationId: string }).donationId === id);

/** Returns the names of journal entries; a sound with its outcome, such as `chime ended`. */
export const namesOf = (entries: Entry[]): string[] =>
  entries.map(({ event, sound, outcome }) => (event === "sound" ? `${sound} ${outcome}` : event));
