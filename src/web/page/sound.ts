// Sounds by audio elements, which OBS captures. One that can't be played is over at once.

import type { Sound } from "../core/alert-playback.ts";
import { note } from "./journal.ts";

export type Sounds = {
  /** 0 to 100; changes what plays as well. */
  setVolume: (volume: number) => void;
  /** `source`: a blob URL; null fails at once. `details` go to the journal. */
  play: (name: string, source: string | null, details: Readonly<Record<string, unknown>>) => Sound;
};

export function makeSounds(): Sounds {
  let volume = 1;
  return {
    setVolume: (percent) => {
      volume = Math.min(1, Math.max(0, percent / 100));
      for (const audio of document.querySelectorAll("audio")) audio.volume = volume;
    },
    play: (name, source, details) => playOne(name, source, volume, details),
  };
}

function playOne(name: string, source: string | null, volume: number, details: Readonly<Record<string, unknown>>): Sound {
  const audio = document.createElement("audio");
  let live = true;
  const finish = (outcome: string) => {
    if (!live) return;
    live = false;
    note("sound", { sound: name, outcome, seconds: audio.currentTime, ...details });
    audio.pause();
    audio.dispatchEvent(new Event(over));
    audio.remove();
  };
  const sound: Sound = {
    begun: Promise.race([happens(audio, "playing"), happens(audio, over)]),
    over: happens(audio, over),
    stop: () => finish("stopped"),
  };
  audio.onended = () => finish("ended");
  audio.onerror = () => finish("failed");
  audio.volume = volume;
  document.body.append(audio);
  if (source) audio.src = source;
  audio.play().catch(() => finish("failed"));
  return sound;
}

/** Our own event: ended, failed or stopped. */
const over = "over";

function happens(target: EventTarget, event: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
}
