// Plays sounds by audio elements, which OBS captures. A sound that can't be played ends at once.

import type { Sound } from "../core/alert-playback.ts";
import { logEvent } from "./page-log.ts";

/** `own`: a streamer's sound in place of the chime, at the chime's volume. */
type SoundName = "chime" | "own" | "speech";

/** `details` are added to the journal. `speed`: 1, which is the default, is the sound's own; its pitch stays. `fromMs`: where it begins. */
type PlayOptions = Readonly<{ details: Readonly<Record<string, unknown>>; speed?: number; fromMs?: number }>;

type Volumes = Readonly<Record<"chime" | "speech", number>>;

export type Sounds = {
  /** 0 to 100 of each kind; applies to sounds that are playing as well. */
  setVolumes: (volumes: Volumes) => void;
  /** Muted sounds play on, so that an alert takes as long as where it is heard; applies to sounds that are playing as well. */
  setMuted: (muted: boolean) => void;
  /** `source`: a blob URL; with null, the sound fails at once. */
  play: (name: SoundName, source: string | null, options: PlayOptions) => Sound;
};

/** `onBlocked`: called when the browser plays no sound before somebody has clicked. */
export function makeSounds(onBlocked: () => void): Sounds {
  let volumes: Volumes = { chime: 100, speech: 100 };
  let isMuted = false;
  const volumeOf = (name: SoundName) => Math.min(1, Math.max(0, volumes[name === "own" ? "chime" : name] / 100));
  return {
    setVolumes: (percents) => {
      volumes = percents;
      for (const audio of document.querySelectorAll("audio")) audio.volume = volumeOf(audio.dataset.sound as SoundName);
    },
    setMuted: (muted) => {
      isMuted = muted;
      for (const audio of document.querySelectorAll("audio")) {
        audio.muted = muted;
        // The browser pauses a sound that is unmuted before anybody has clicked.
        if (audio.paused && !audio.ended) audio.dispatchEvent(new Event("error"));
      }
    },
    play: (name, source, options) => playOne({ name, source, isMuted, ...options }, volumeOf(name), onBlocked),
  };
}

type Playing = PlayOptions & { name: SoundName; source: string | null; isMuted: boolean };

function playOne({ name, source, isMuted, details, speed = 1, fromMs = 0 }: Playing, volume: number, onBlocked: () => void): Sound {
  const audio = document.createElement("audio");
  audio.dataset.sound = name;
  let isPlaying = true;
  const finish = (outcome: string) => {
    if (!isPlaying) return;
    isPlaying = false;
    logEvent("sound", { sound: name, outcome, seconds: audio.currentTime, muted: audio.muted, ...details });
    audio.pause();
    audio.dispatchEvent(new Event(endedEvent));
    audio.remove();
  };
  const sound: Sound = {
    audible: Promise.race([eventOf(audio, "playing"), eventOf(audio, endedEvent)]),
    ended: eventOf(audio, endedEvent),
    stop: () => finish("stopped"),
  };
  audio.onended = () => finish("ended");
  audio.onerror = () => finish("failed");
  audio.volume = volume;
  audio.muted = isMuted;
  if (fromMs > 0) audio.onloadedmetadata = () => (audio.currentTime = Math.min(fromMs / 1000, audio.duration));
  audio.preservesPitch = true;
  audio.defaultPlaybackRate = speed; // a source that is set resets the rate to this one
  document.body.append(audio);
  if (source) audio.src = source;
  audio.play().catch((error: Error) => {
    if (error.name === "NotAllowedError") onBlocked();
    finish("failed");
  });
  return sound;
}

/** An event of our own: the sound has ended, failed or was stopped. */
const endedEvent = "over";

function eventOf(target: EventTarget, event: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
}
