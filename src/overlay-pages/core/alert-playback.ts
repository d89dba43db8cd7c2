// Plays one alert: shows the card, plays the chime and the speech. The alert ends in bounded time even if parts of it fail.

import type { PageSettings, Playback } from "./api.ts";
import { type Clock, pause } from "./clock.ts";

export type Sound = {
  /** Resolves when the sound can be heard, has failed, or was stopped. */
  audible: Promise<unknown>;
  /** Resolves when the sound has ended, has failed, or was stopped. */
  ended: Promise<unknown>;
  stop: () => void;
};

/** What a page provides for one alert. */
export type AlertView = {
  /** Fetches image, sound and typeface of the variation. Resolves when they are there or have failed; never rejects. */
  prepare: () => Promise<unknown>;
  /** Shows the card. `seconds`: how long its text stays. */
  enter: (playback: Playback, seconds: number) => void;
  /** Speech is heard from now on, or no longer. */
  setSpeaking: (isSpeaking: boolean) => void;
  /** Starts the leave animation, which takes `leaveMs`. */
  leave: () => void;
  clear: () => void;
  chime: () => Sound;
  /** Fetches the speech; resolves to null on failure, never rejects. `speed`: 1 is the speech's own. `fromMs`: where it begins. */
  loadSpeech: (speechId: string, speed: number) => Promise<((fromMs: number) => Sound) | null>;
};

/** `elapsedMs`: how long ago another page began it; 0: this page begins. */
type ShowAlertDeps = { view: AlertView; clock: Clock; signal: AbortSignal; elapsedMs: number; onStarted: () => void };

/** Duration of the leave animation. */
const leaveMs = 500;
const soundStartLimitMs = 1_000;
const chimeLimitMs = 2_500;
/** The same for a sound of the streamer's own. */
const ownSoundLimitMs = 15_000;
/** The server waits 10 s for the start. */
const filesLimitMs = 4_000;
const speechLoadLimitMs = 8_000;
const speechPauseMs = 150;
/** A page that joins later than this leaves out the chime, which has been heard by then. */
const latestChimeMs = 1_500;
/** Allowed for speech of unknown length: the server allows as much before the playback is unconfirmed. */
const unknownSpeechMs = 20_000;
/** Shorter than this, nobody can read anything: many waiting alerts shorten the time on screen no further. */
const shortestSeconds = 2;

/** Resolves to `stopped` if the signal was aborted. Never rejects. */
export async function showAlert(playback: Playback, settings: PageSettings, deps: ShowAlertDeps): Promise<"ended" | "stopped"> {
  const { view, signal } = deps;
  const sounds = makeAlertSounds();
  const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  if (!signal.aborted) await Promise.race([play(playback, settings, deps, sounds), stopped]);
  sounds.stop();
  view.clear();
  return signal.aborted ? "stopped" : "ended";
}

async function play(playback: Playback, settings: PageSettings, deps: ShowAlertDeps, sounds: AlertSounds): Promise<void> {
  const { view, clock, signal, onStarted } = deps;
  const { visible, limit } = durations(playback, settings);
  const begunAt = clock.now() - deps.elapsedMs;
  const speech = playback.speech && settings.speech ? view.loadSpeech(playback.speech.id, settings.speechSpeed) : null;

  const { sound = null } = playback.variation ?? {};
  if (playback.variation) await Promise.race([view.prepare(), pause(clock, filesLimitMs)]);
  if (signal.aborted) return;
  const passed = deps.elapsedMs === 0 ? 0 : clock.now() - begunAt;
  view.enter(playback, Math.max(0, visible - passed) / 1000);
  const chime = passed < latestChimeMs ? sounds.begin(view.chime) : null;
  if (passed === 0) await Promise.race([chime?.audible, pause(clock, soundStartLimitMs)]);
  if (signal.aborted) return;
  onStarted();

  const speak = async () => {
    await Promise.race([chime?.ended, pause(clock, sound === null ? chimeLimitMs : ownSoundLimitMs)]);
    const start = await Promise.race([speech, pause(clock, speechLoadLimitMs)]);
    if (!start) return;
    await pause(clock, speechPauseMs);
    const speaking = sounds.begin(() => start(chime ? 0 : passed - latestChimeMs));
    if (!speaking) return;
    view.setSpeaking(true);
    await speaking.ended;
    view.setSpeaking(false);
  };
  await Promise.race([Promise.all([pause(clock, visible - passed), speak()]), pause(clock, limit - passed)]);
  if (signal.aborted) return;
  sounds.stop();
  view.leave();
  await pause(clock, leaveMs);
}

type AlertSounds = { begin: (start: () => Sound) => Sound | null; stop: () => void };

/** The sounds of one alert: `stop` stops all of them, and none starts afterwards. */
function makeAlertSounds(): AlertSounds {
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

type TimedPlayback = Pick<Playback, "donatorName" | "message" | "variation" | "faster"> &
  Readonly<{ speech: Pick<NonNullable<Playback["speech"]>, "durationMs"> | null }>;
type TimeSettings = Pick<PageSettings, "minimumSeconds" | "maximumSeconds" | "speechSpeed">;

/** In milliseconds: how long the text stays (`visible`), and when the alert must have ended, speech included (`limit`). */
export function durations(playback: TimedPlayback, settings: TimeSettings): { visible: number; limit: number } {
  const { minimumSeconds, maximumSeconds } = settings;
  const needed = readingSeconds(playback.donatorName, playback.message);
  const seconds = playback.variation?.seconds ?? Math.max(minimumSeconds, Math.min(maximumSeconds, needed));
  const visible = 1000 * (playback.faster ? Math.max(shortestSeconds, seconds / 2) : seconds);
  const spoken = playback.speech ? (playback.speech.durationMs ?? unknownSpeechMs) / settings.speechSpeed : 0;
  const ownSound = playback.variation?.sound ? ownSoundLimitMs : 0;
  return { visible, limit: Math.max(visible, maximumSeconds * 1000) + spoken + ownSound };
}

/** For slow readers of Thai who watch a game at the same time. */
const charactersPerSecond = 14;
const orientationSeconds = 2.5;

function readingSeconds(...texts: readonly string[]): number {
  return orientationSeconds + texts.join(" ").length / charactersPerSecond;
}
