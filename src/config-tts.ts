// The settings of speech. Values may be secret, so errors do not quote them.

import { z } from "zod";
import { anyText, httpUrl, oneOf, onOff, readSetting, readSettings, type SettingTable } from "./setting.ts";

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

export const speechSettings = {
  isOn: { name: "TTS", rule: onOff, default: "on", meaning: "`off`: alerts are never spoken." },
  engine: {
    name: "TTS_ENGINE",
    rule: oneOf(...ttsEngines),
    shownDefault: "`espeak`, with `TTS_URL` `http`",
    meaning: "What speaks alerts: `espeak`, `http`, `openai`, `google` or `azure`: [speech](speech.md).",
  },
  url: {
    name: "TTS_URL",
    rule: httpUrl
      .refine((url) => !new URL(url).username && !new URL(url).password)
      .describe("must be an http(s) URL without user name and password (TTS_TOKEN is sent as a bearer token)"),
    meaning: "Address of your own service, or another address than the provider's. The log warns at the start when nobody answers there.",
    isUnquoted: true,
  },
  token: {
    name: "TTS_TOKEN",
    rule: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .describe("must be visible ASCII characters without spaces"),
    meaning: "The engine's key.",
    isSecret: true,
  },
  voice: {
    name: "TTS_VOICE",
    rule: z
      .string()
      .regex(/^[^\p{Cc}-][^\p{Cc}]{0,99}$/u)
      .describe("must be 1 to 100 characters without control characters, and must not begin with a hyphen"),
    meaning: "The engine's name of a voice.",
    isUnquoted: true,
  },
  model: { name: "TTS_MODEL", rule: anyText, meaning: "Model of `openai`." },
  region: {
    name: "TTS_REGION",
    rule: z
      .string()
      .regex(/^[a-z0-9]{1,40}$/)
      .describe("must be lower-case letters and digits, such as southeastasia"),
    meaning: "Region of `azure`.",
    isUnquoted: true,
  },
} as const satisfies SettingTable;

/** Null: alerts are never spoken. Throws an Error that names the setting and its rule. */
export function readTts(env: NodeJS.ProcessEnv): TtsConfig | null {
  if (!readSetting(env, speechSettings.isOn)) return null;
  const { engine: chosen, url, token, voice, model, region } = readSettings(env, speechSettings);
  const engine = chosen ?? (url ? "http" : "espeak");
  switch (engine) {
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
