// One alert from its first moment to its last. Whatever fails, it ends.

import { type Clock, pause } from "./clock.ts";
import type { PageSettings, Playback } from "./events.ts";
import { readingSeconds } from "./reading-time.ts";

export type Sound = {
  /** Resolves when it can be heard, or never will be. */
  begun: Promise<unknown>;
  /** Resolves at its end, or when it has failed. */
  over: Promise<unknown>;
  stop: () => void;
};

/** What the page can do. */
export type Stage = {
  /** `seconds`: how long the text has to be read. */
  enter: (playback: Playback, seconds: number) => void;
  /** Begins to leave; `leaving` is how long that takes. */
  leave: () => void;
  clear: () => void;
  chime: () => Sound;
  /** Fetches the speech; null when it can't be had. Never rejects. */
  loadSpeech: (speechId: string) => Promise<(() => Sound) | null>;
};

export type ShowingParts = { stage: Stage; clock: Clock; signal: AbortSignal; onStarted: () => void };

/** Milliseconds of the leave animation. */
export const leaving = 500;
const soundBeginsWithin = 1_000;
const chimeLimit = 2_500;
const loadLimit = 8_000;
const breath = 150;
/** For speech whose length nobody knows: within what the server waits before it gives an alert up. */
const unknownSpeech = 20_000;

/** Resolves to `stopped` when the signal was given. Never rejects. */
export async function showAlert(playback: Playback, settings: PageSettings, parts: ShowingParts): Promise<"ended" | "stopped"> {
  const { stage, signal } = parts;
  const sounds = soundsOfOne();
  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  if (!signal.aborted) await Promise.race([play(playback, settings, parts, sounds), stopped]);
  sounds.stop();
  stage.clear();
  return signal.aborted ? "stopped" : "ended";
}

async function play(playback: Playback, settings: PageSettings, parts: ShowingParts, sounds: Sounds): Promise<void> {
  const { stage, clock, signal, onStarted } = parts;
  const { visible, limit } = durations(playback, settings);
  const speech = playback.speech && settings.speech ? stage.loadSpeech(playback.speech.id) : null;

  stage.enter(playback, visible / 1000);
  const chime = sounds.begin(stage.chime);
  await Promise.race([chime?.begun, pause(clock, soundBeginsWithin)]);
  if (signal.aborted) return;
  onStarted();

  const speak = async () => {
    await Promise.race([chime?.over, pause(clock, chimeLimit)]);
    const start = await Promise.race([speech, pause(clock, loadLimit)]);
    if (!start) return;
    await pause(clock, breath);
    await sounds.begin(start)?.over;
  };
  await Promise.race([Promise.all([pause(clock, visible), speak()]), pause(clock, limit)]);
  if (signal.aborted) return;
  sounds.stop();
  stage.leave();
  await pause(clock, leaving);
}

type Sounds = { begin: (start: () => Sound) => Sound | null; stop: () => void };

/** The sounds of one alert: they stop together, and none begins afterwards. */
function soundsOfOne(): Sounds {
  const begun: Sound[] = [];
  let over = false;
  return {
    begin: (start) => {
      if (over) return null;
      const sound = start();
      begun.push(sound);
      return sound;
    },
    stop: () => {
      over = true;
      for (const sound of begun) sound.stop();
    },
  };
}

/** Milliseconds: how long the text stays, and when all must be over, speech included. */
export function durations(playback: Playback, { minimumSeconds, maximumSeconds }: PageSettings): { visible: number; limit: number } {
  const needed = readingSeconds(playback.donatorName, playback.message ?? "");
  const visible = 1000 * Math.max(minimumSeconds, Math.min(maximumSeconds, needed));
  const spoken = playback.speech ? (playback.speech.durationMs ?? unknownSpeech) : 0;
  return { visible, limit: Math.max(visible, maximumSeconds * 1000) + spoken };
}
