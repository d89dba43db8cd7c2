// The voices that the speech engine names, for those who choose one.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { SpeechEngine } from "./choose-speaker.ts";
import type { Speaker, Voice } from "./speaker.ts";

const limitMs = 2_000;

/** `off`: by the operator's setting. `none`: no engine is installed. `fallback`: the engine is hard to follow. */
export async function speechState(engine: SpeechEngine): Promise<"off" | "none" | "fallback" | "natural"> {
  const speaker = await engine.find();
  if (!speaker) return engine.isOn ? "none" : "off";
  return speaker.isFallback ? "fallback" : "natural";
}

/** Returns the function that resolves to the voices: none without an engine, or of one that names none. An engine is asked until it has answered. */
export function voiceList(engine: SpeechEngine, log: Logger): () => Promise<readonly Voice[]> {
  let asked: { speaker: Speaker; named: Promise<readonly Voice[]> } | null = null;
  const ask = async (speaker: Speaker): Promise<readonly Voice[]> => {
    try {
      return (await speaker.voices?.(AbortSignal.timeout(limitMs))) ?? [];
    } catch (error) {
      log.warn({ error: describeFailure(error) }, "the speech engine does not name its voices");
      asked = null;
      return [];
    }
  };
  return async () => {
    const speaker = await engine.find();
    if (!speaker) return [];
    if (asked?.speaker !== speaker) asked = { speaker, named: ask(speaker) };
    return asked.named;
  };
}
