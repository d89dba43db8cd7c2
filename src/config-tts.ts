// The settings of speech. Values may be secret, so errors do not quote them.

import { readSecret } from "./config-secrets.ts";

/**
 * `url`: null for the address of the service itself. `token`: never log it. `voice`: the engine's name of a voice; null leaves the choice to the
 * engine. `path`: PATH, where the program is looked for. `region`: of Azure, null where `url` names the host.
 */
export type TtsConfig = Readonly<
  { voice: string | null } & (
    | { engine: "espeak"; path: string }
    | { engine: "http"; url: string; token: string | null }
    | { engine: "openai"; url: string | null; token: string | null; model: string | null }
    | { engine: "google"; url: string | null; token: string }
    | { engine: "azure"; url: string | null; region: string | null; token: string }
  )
>;

const isTtsEngine: Readonly<Record<TtsConfig["engine"], true>> = {
  espeak: true,
  http: true,
  openai: true,
  google: true,
  azure: true,
};
const ttsEngines = Object.keys(isTtsEngine) as TtsConfig["engine"][];

/** Throws an Error that names the setting and its rule. */
export function readTts(env: NodeJS.ProcessEnv): TtsConfig {
  const name = env.TTS_ENGINE || (env.TTS_URL ? "http" : "espeak");
  const engine = ttsEngines.find((known) => known === name);
  const [url, token, voice] = [readTtsUrl(env.TTS_URL), readTtsToken(env), readTtsVoice(env.TTS_VOICE)];
  const [model, region] = [env.TTS_MODEL || null, readTtsRegion(env.TTS_REGION)];
  switch (engine) {
    case undefined:
      throw new Error(`TTS_ENGINE must be one of ${ttsEngines.join(", ")}, not "${name}"`);
    case "espeak":
      return { engine, voice, path: env.PATH ?? "" };
    case "http":
      return { engine, voice, url: needed(url, "TTS_ENGINE=http needs TTS_URL"), token };
    case "openai":
      if (!url) needed(token, "TTS_ENGINE=openai needs TTS_TOKEN, or the TTS_URL of another server that speaks the same protocol");
      return { engine, voice, url, token, model };
    case "google":
      return { engine, voice, url, token: needed(token, "TTS_ENGINE=google needs TTS_TOKEN: an API key") };
    case "azure":
      if (!url) needed(region, "TTS_ENGINE=azure needs TTS_REGION, such as southeastasia");
      return { engine, voice, url, region, token: needed(token, "TTS_ENGINE=azure needs TTS_TOKEN: the key of a Speech resource") };
  }
}

function needed<Value>(value: Value | null, message: string): Value {
  if (value === null) throw new Error(message);
  return value;
}

function readTtsRegion(text: string | undefined): string | null {
  if (text && !/^[a-z0-9]{1,40}$/.test(text)) throw new Error("TTS_REGION must be lower-case letters and digits, such as southeastasia");
  return text || null;
}

function readTtsUrl(text: string | undefined): string | null {
  if (!text) return null;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new Error("TTS_URL must be an http(s) URL without user name and password (TTS_TOKEN is sent as a bearer token)");
  return url.href;
}

function readTtsToken(env: NodeJS.ProcessEnv): string | null {
  const text = readSecret(env, "TTS_TOKEN");
  if (text && !/^[\x21-\x7e]+$/.test(text)) throw new Error("TTS_TOKEN must be visible ASCII characters without spaces");
  return text || null;
}

function readTtsVoice(text: string | undefined): string | null {
  if (text && !/^[^\p{Cc}-][^\p{Cc}]{0,99}$/u.test(text))
    throw new Error("TTS_VOICE must be 1 to 100 characters without control characters, and must not begin with a hyphen");
  return text || null;
}
