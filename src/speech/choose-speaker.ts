// Chooses the speech engine by the operator's TTS and TTS_ENGINE, looks again while there is none or only a fallback, and names its voices.

import type { Logger } from "pino";
import type { TtsConfig } from "../config-tts.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { azureSpeaker } from "./azure-speaker.ts";
import { findEspeak, packagedEspeak, systemEspeak } from "./espeak-speaker.ts";
import { googleSpeaker } from "./google-speaker.ts";
import { httpSpeaker } from "./http-speaker.ts";
import { openaiSpeaker } from "./openai-speaker.ts";
import type { Speaker, Voice } from "./speaker.ts";

export type SpeechEngine = Readonly<{
  /** False: the operator switched speech off. */
  isOn: boolean;
  /** The engine that speaks; null where there is none. Never rejects. */
  find: () => Promise<Speaker | null>;
}>;

/** By the names of TTS_ENGINE. readConfig has checked that each has the settings that it needs. */
const engines: { [Name in TtsConfig["engine"]]: (tts: Extract<TtsConfig, { engine: Name }>) => Speaker | Promise<Speaker | null> } = {
  espeak: async ({ voice, path }) => {
    const packaged = packagedEspeak();
    return (await findEspeak(voice, systemEspeak(path))) ?? (packaged && (await findEspeak(voice, packaged)));
  },
  http: httpSpeaker,
  openai: openaiSpeaker,
  google: googleSpeaker,
  azure: azureSpeaker,
};

/** The engine of the settings; null where none is installed. */
export async function chooseSpeaker(tts: TtsConfig): Promise<Speaker | null> {
  const make = engines[tts.engine] as (tts: TtsConfig) => Speaker | Promise<Speaker | null>;
  return make(tts);
}

/** How to get an engine, for whoever reads a terminal or a log. */
export const howToSpeak = "apt-get install espeak-ng, or set TTS_ENGINE (docs/operations/speech.md)";

const lookAgainMs = 10_000;
const lookForBetterMs = 600_000;

/** Looks for an engine when one is needed, and from time to time again while there is none or only a fallback. `tts`: null when it is off. */
export function speechEngine(tts: TtsConfig | null, log: Logger, choose = chooseSpeaker): SpeechEngine {
  let found: Speaker | null = null;
  let lookAt = 0;
  let looking: Promise<void> | null = null;

  const look = async (tts: TtsConfig) => {
    const next = await choose(tts).catch(() => null);
    lookAt = performance.now() + (next ? lookForBetterMs : lookAgainMs);
    if (next && next.name !== found?.name) log.info({ engine: next.name }, "alerts are spoken");
    if (!next && !found) log.warn(`alerts are not spoken, because there is no speech engine: ${howToSpeak}`);
    found = next ?? found;
  };
  return {
    isOn: tts !== null,
    find: async () => {
      if (!tts || (found && !found.isFallback)) return found;
      if (performance.now() >= lookAt) looking ??= look(tts).finally(() => (looking = null));
      if (!found) await looking;
      return found;
    },
  };
}

const voicesLimitMs = 2_000;

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
      return (await speaker.voices?.(AbortSignal.timeout(voicesLimitMs))) ?? [];
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

/** Warns at the start when nobody answers at TTS_URL: a server that comes later is used without a restart. Any answer of HTTP is one. Neither a text nor the token is sent. Never rejects. */
export async function warnUnreachable(tts: TtsConfig, log: Logger): Promise<void> {
  if (!("url" in tts) || tts.url === null) return;
  const { origin } = new URL(tts.url);
  try {
    const answer = await fetch(origin, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(3_000) });
    await answer.body?.cancel();
  } catch (error) {
    const reason = describeFailure((error as Error).cause ?? error);
    log.warn({ error: reason }, `TTS_URL: nobody answers at ${origin}. Alerts are shown without speech until somebody does`);
  }
}
