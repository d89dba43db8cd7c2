// The voices that the speech engine names, for those who choose one.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { Speaker, Voice } from "./speaker.ts";

const limitMs = 2_000;

/** Returns the function that resolves to the voices: none where there is no engine or it names none. It is asked until it has answered once. */
export function voiceList(speaker: Speaker | null, log: Logger): () => Promise<readonly Voice[]> {
  let asked: Promise<readonly Voice[]> | null = null;
  return () => {
    if (!speaker?.voices) return Promise.resolve([]);
    asked ??= speaker.voices(AbortSignal.timeout(limitMs)).catch((error: unknown) => {
      log.warn({ error: describeFailure(error) }, "the speech engine does not name its voices");
      asked = null;
      return [];
    });
    return asked;
  };
}
