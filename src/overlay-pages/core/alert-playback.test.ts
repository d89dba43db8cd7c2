import { beforeEach, expect, test } from "vitest";
import { durations, type Sound, showAlert } from "./alert-playback.ts";
import type { Playback } from "./api.ts";
import { type FakeClock, fakeClock, playbackOf, settings } from "./testing.ts";

let clock: FakeClock;
let seen: string[];

beforeEach(() => {
  clock = fakeClock();
  seen = [];
});

const at = (event: string) => void seen.push(`${(clock.now() / 1000).toFixed(2)} ${event}`);

/** A sound that can be heard for so long; `null` never begins and never ends. */
function soundOf(name: string, seconds: number | null): Sound {
  at(name);
  const never = new Promise<void>(() => {});
  if (seconds === null) return { audible: never, ended: never, stop: () => {} };
  let stop = () => {};
  const over = new Promise<void>((resolve) => {
    stop = clock.after(seconds * 1000, () => {
      at(`${name} over`);
      resolve();
    });
  });
  return { audible: Promise.resolve(), ended: over, stop };
}

type Sounds = { chime?: number | null; speech?: number | null; loading?: number | null; elapsedMs?: number };

function show(
  playback: Playback,
  { chime = 1, speech = null, loading = 0, elapsedMs = 0 }: Sounds = {},
  changes: Partial<typeof settings> = {},
) {
  const controller = new AbortController();
  const outcome = showAlert(
    playback,
    { ...settings, ...changes },
    {
      view: {
        prepare: async () => at("prepare"),
        enter: () => at("enter"),
        setSpeaking: () => {},
        leave: () => at("leave"),
        clear: () => at("clear"),
        chime: () => soundOf("chime", chime),
        loadSpeech: (_, speed) => {
          at("load");
          const start = () => soundOf("speech", speech === null ? null : speech / speed);
          return new Promise((resolve) => {
            if (loading !== null) clock.after(loading * 1000, () => resolve(speech === null ? null : start));
          });
        },
      },
      clock,
      signal: controller.signal,
      elapsedMs,
      onStarted: () => at("started"),
    },
  );
  void outcome.then(at);
  return controller;
}

const spoken = (durationMs: number | null) => playbackOf("a", { speech: { id: "s", mime: "audio/wav", durationMs } });

test("an alert plays the chime, then the whole speech, then leaves; its text stays as long as both need", async () => {
  show(spoken(9_000), { speech: 9 });
  await clock.advance(60_000);
  expect(seen).toEqual([
    "0.00 load",
    "0.00 enter",
    "0.00 chime",
    "0.00 started",
    "1.00 chime over",
    "1.15 speech",
    "10.15 speech over",
    "10.15 leave",
    "10.65 clear",
    "10.65 ended",
  ]);
});

test("an alert without speech stays for the minimum time", async () => {
  show(playbackOf("a"));
  await clock.advance(60_000);
  expect(seen).toEqual(["0.00 enter", "0.00 chime", "0.00 started", "1.00 chime over", "6.00 leave", "6.50 clear", "6.50 ended"]);
});

test("speech is not loaded if the streamer has switched it off", async () => {
  show(spoken(9_000), { speech: 9 }, { speech: false });
  await clock.advance(60_000);
  expect(seen).not.toContain("0.00 load");
  expect(seen.at(-1)).toBe("6.50 ended");
});

test.each<[string, Playback, Sounds, number]>([
  ["a chime that never begins", playbackOf("a"), { chime: null }, 7.5],
  ["speech that is not there", spoken(9_000), { speech: null }, 6.5],
  ["speech that does not load", spoken(9_000), { speech: 9, loading: null }, 9.5],
  ["speech that never ends", spoken(9_000), { speech: 1_000 }, 39.5],
  ["speech of unknown length that never ends", spoken(null), { speech: 1_000 }, 50.5],
])("an alert ends in bounded time with %s", async (_title, playback, sounds, seconds) => {
  show(playback, sounds);
  await clock.advance(1_200_000);
  expect(seen.at(-1)).toBe(`${seconds.toFixed(2)} ended`);
  expect(seen.filter((event) => event.endsWith("started")).length).toBe(1);
});

test.each<[number, number, number]>([
  [0.5, 19.65, 48.5],
  [2, 6.5, 35],
  [1, 10.65, 39.5],
])("speech of 9 s at the speed %s ends an alert after %s s, and after %s s if it never ends", async (speechSpeed, seconds, limit) => {
  const settings = { speechSpeed } as { speechSpeed: number };
  show(spoken(9_000), { speech: 9 }, settings);
  await clock.advance(60_000);
  expect(seen.at(-1)).toBe(`${seconds.toFixed(2)} ended`);
  clock = fakeClock();
  show(spoken(9_000), { speech: 1_000 }, settings);
  await clock.advance(60_000);
  expect(seen.at(-1)).toBe(`${limit.toFixed(2)} ended`);
});

test("speech that is loaded after the end of the alert is not played", async () => {
  show(spoken(1_000), { speech: 1, loading: 6.5 }, { minimumSeconds: 2, maximumSeconds: 5 });
  await clock.advance(60_000);
  expect(seen).toContain("6.50 ended");
  expect(seen.filter((event) => event.includes("speech"))).toEqual([]);
});

test("an alert that is stopped ends at once, at every moment", async () => {
  for (const [moment, started] of [
    [0, 1],
    [2_000, 1],
    [6_200, 1],
  ] as const) {
    clock = fakeClock();
    seen = [];
    const controller = show(spoken(2_000), { speech: 2 });
    await clock.advance(moment);
    controller.abort();
    await clock.advance(0);
    expect(seen.slice(-2)).toEqual([`${(moment / 1000).toFixed(2)} clear`, `${(moment / 1000).toFixed(2)} stopped`]);
    expect(seen.filter((event) => event.endsWith("started")).length).toBe(started);
    const before = seen.length;
    await clock.advance(60_000);
    expect(seen.slice(before)).toEqual([]);
  }
});

test("an alert that is stopped before the chime can be heard is never reported as started", async () => {
  const controller = show(playbackOf("a"), { chime: null });
  await clock.advance(500);
  controller.abort();
  await clock.advance(60_000);
  expect(seen).toEqual(["0.00 enter", "0.00 chime", "0.50 clear", "0.50 stopped"]);
});

test("a longer text stays longer, between the minimum and the maximum time", () => {
  const message = (length: number) => playbackOf("a", { message: "ก".repeat(length) });
  const visible = (length: number, changes = {}) => Math.round(durations(message(length), { ...settings, ...changes }).visible / 1000);
  expect([visible(0), visible(140), visible(255), visible(255, { maximumSeconds: 10 }), visible(0, { minimumSeconds: 9 })]).toEqual([
    6, 13, 21, 10, 9,
  ]);
});

test("while many alerts wait, the text stays for half its time, and for two seconds at least", () => {
  const visible = (length: number, changes = {}) => {
    const message = "ก".repeat(length);
    return durations(playbackOf("a", { message, faster: true }), { ...settings, ...changes }).visible / 1000;
  };
  expect([visible(0), visible(1_000), visible(0, { minimumSeconds: 3 })]).toEqual([3, 15, 2]);
});

test("the card is told when speech begins to be heard, and when it has ended, however long it takes", async () => {
  const view = {
    ...{ prepare: async () => {}, enter: () => {}, leave: () => at("leave"), clear: () => {} },
    setSpeaking: (isSpeaking: boolean) => at(isSpeaking ? "moves" : "rests"),
    chime: () => soundOf("chime", 1),
    loadSpeech: async () => () => soundOf("speech", 40),
  };
  const playback = playbackOf("a", { speech: { id: "s", mime: "audio/wav", durationMs: 40_000 } });
  void showAlert(playback, settings, { view, clock, signal: new AbortController().signal, elapsedMs: 0, onStarted: () => {} });
  await clock.advance(60_000);
  expect(seen).toEqual(["0.00 chime", "1.00 chime over", "1.15 speech", "1.15 moves", "41.15 speech over", "41.15 rests", "41.15 leave"]);
});

test("an own sound is waited for before the speech, and image and sound are fetched before the card is shown, 4 s at most", async () => {
  const view = {
    ...{ setSpeaking: () => {}, leave: () => {}, clear: () => {}, enter: () => at("enter") },
    prepare: () => new Promise<void>(() => {}),
    chime: () => soundOf("own sound", 9),
    loadSpeech: async () => () => soundOf("speech", 1),
  };
  const variation = { image: "i", sound: "s", seconds: 3 } as NonNullable<Playback["variation"]>;
  const playback = playbackOf("a", { variation, speech: { id: "s", mime: "audio/wav", durationMs: 1_000 } });
  const outcome = showAlert(playback, settings, {
    view,
    clock,
    signal: new AbortController().signal,
    elapsedMs: 0,
    onStarted: () => at("started"),
  });
  await clock.advance(20_000);
  expect(await outcome).toBe("ended");
  expect(seen).toEqual(["4.00 enter", "4.00 own sound", "4.00 started", "13.00 own sound over", "13.15 speech", "14.15 speech over"]);
});
