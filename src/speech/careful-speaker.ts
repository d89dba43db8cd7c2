// Between the room and an engine that may be slow, broken or overloaded: few calls at once, none for ever, and a rest
// after several failures.

import type { Logger } from "pino";
import { watchOutage } from "../db/outage.ts";
import type { Audio, Speaker, Utterance } from "./speaker.ts";

export type CarefulSpeaker = {
  /** Never rejects: null when the engine fails, rests, says too much, or has no place for this call within `patienceMs`. */
  speak: (utterance: Utterance) => Promise<Audio | null>;
  /** Ends the calls under way. */
  close: () => void;
};

export type SpeechLimits = {
  /** Calls of the engine at once, per process. */
  mostCalls: number;
  /** Longest wait for speech: the alert plays without it then. */
  patienceMs: number;
  /** Longest call: what comes after the alert is kept for the next time. */
  callMs: number;
  /** Failures in a row after which the engine is left alone for `restMs`. */
  mostFailures: number;
  restMs: number;
};

export const usualLimits: SpeechLimits = { mostCalls: 4, patienceMs: 5_000, callMs: 20_000, mostFailures: 3, restMs: 10_000 };

export function beCareful(speaker: Speaker, log: Logger, limits: SpeechLimits): CarefulSpeaker {
  const outage = watchOutage(log, "the speech engine");
  const closing = new AbortController();
  const places = makePlaces(limits.mostCalls);
  let failures = 0;
  let restsUntil = 0;

  const succeeded = () => {
    failures = 0;
    outage.ends();
  };
  const failed = (error: unknown) => {
    if (closing.signal.aborted) return;
    failures += 1;
    if (failures >= limits.mostFailures) restsUntil = performance.now() + limits.restMs;
    outage.begins(error);
  };
  const call = async (utterance: Utterance): Promise<Audio | null> => {
    try {
      const audio = await speaker.speak(utterance, AbortSignal.any([closing.signal, AbortSignal.timeout(limits.callMs)]));
      succeeded();
      if (!audio) log.info("speech that was too long is left out");
      return audio;
    } catch (error) {
      failed(error);
      return null;
    }
  };
  return {
    speak: async (utterance) => {
      const askedAt = performance.now();
      await places.take();
      try {
        const now = performance.now();
        return closing.signal.aborted || now < restsUntil || now - askedAt > limits.patienceMs ? null : await call(utterance);
      } finally {
        places.leave();
      }
    },
    close: () => closing.abort(),
  };
}

function makePlaces(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    take: () =>
      new Promise<void>((resolve) => {
        if (free === 0) return void waiting.push(resolve);
        free -= 1;
        resolve();
      }),
    /** The place goes straight to whoever waits longest. */
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
