// Protects callers from a speech engine that is slow, broken or overloaded: limits concurrent calls and their duration, and opens a
// circuit breaker after several failures.

import pLimit from "p-limit";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { watchOutage } from "../telemetry/log.ts";
import { type Audio, type Speaker, TextRefused, type Utterance } from "./speaker.ts";

type BoundedSpeaker = {
  /**
   * Never rejects. Resolves to null when the engine fails or refuses the text, when the audio is too long, during the cool-down, and when
   * the call had to wait longer than `waitLimitMs` for others.
   */
  speak: (speaker: Speaker, utterance: Utterance) => Promise<Audio | null>;
  /** Aborts the running calls. */
  close: () => void;
};

export type SpeechLimits = {
  /** Concurrent calls of the engine, per process. */
  maxConcurrentCalls: number;
  /** How long an alert waits for its speech; after that it plays without it. */
  waitLimitMs: number;
  /** How long a call may take. Speech that is too late for its alert is stored for the next one with the same text. */
  callLimitMs: number;
  /** Failures in a row after which the engine is not called for `cooldownMs`. */
  maxFailures: number;
  cooldownMs: number;
};

export const defaultLimits: SpeechLimits = {
  maxConcurrentCalls: 4,
  waitLimitMs: 5_000,
  callLimitMs: 20_000,
  maxFailures: 3,
  cooldownMs: 10_000,
};

/** How long after it was asked for speech may still come: the wait for a free call, and the call. */
export const maxSpeechMs = defaultLimits.waitLimitMs + defaultLimits.callLimitMs;

export function boundSpeaker(log: Logger, limits: SpeechLimits): BoundedSpeaker {
  const outage = watchOutage(log, "the speech engine");
  const closing = new AbortController();
  const limitCalls = pLimit(limits.maxConcurrentCalls);
  let failures = 0;
  let cooldownEndsAt = 0;

  const onSuccess = () => {
    failures = 0;
    outage.ends();
  };
  const onFailure = (error: unknown) => {
    if (closing.signal.aborted) return;
    failures += 1;
    if (failures >= limits.maxFailures) cooldownEndsAt = performance.now() + limits.cooldownMs;
    outage.begins(error);
  };
  const call = async (speaker: Speaker, utterance: Utterance): Promise<Audio | null> => {
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limits.callLimitMs)]);
      const audio = await speakInVoice(speaker, utterance, signal);
      onSuccess();
      if (!audio) log.info("speech that was too long is left out");
      return audio;
    } catch (error) {
      // A donator chooses the text: one that the engine refuses must not silence the alerts of others.
      if (error instanceof TextRefused) log.warn({ error: describeFailure(error) }, "a text that the speech engine refuses is not spoken");
      else onFailure(error);
      return null;
    }
  };
  return {
    speak: (speaker, utterance) => {
      const requestedAt = performance.now();
      return limitCalls(async () => {
        const now = performance.now();
        return closing.signal.aborted || now < cooldownEndsAt || now - requestedAt > limits.waitLimitMs
          ? null
          : await call(speaker, utterance);
      });
    },
    close: () => closing.abort(),
  };
}

/** A voice that the engine does not have is the streamer's mistake, not a failure of the engine: its own voice speaks instead. */
async function speakInVoice(speaker: Speaker, { voice, ...utterance }: Utterance, signal: AbortSignal): Promise<Audio | null> {
  if (!voice) return speaker.speak(utterance, signal);
  try {
    return await speaker.speak({ ...utterance, voice }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return speaker.speak(utterance, signal);
  }
}
