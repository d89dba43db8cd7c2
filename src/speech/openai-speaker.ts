// Speech by OpenAI, or by any server, also a local one, that offers OpenAI's `POST /v1/audio/speech`.

import { askForAudio, askForJson } from "./http-speaker.ts";
import type { Speaker, Voice } from "./speaker.ts";

/** `url`: of the API, with its version; null: OpenAI's own. */
type OpenaiSettings = Readonly<{ url: string | null; token: string | null; model: string | null; voice: string | null }>;

const ownUrl = "https://api.openai.com/v1";

/** Of OpenAI's reference of `audio/speech`: its API does not list them. Each speaks Thai. */
const ownVoices = ["alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse"];

export function openaiSpeaker({ url, token, model, voice }: OpenaiSettings): Speaker {
  const base = (url ?? ownUrl).replace(/\/$/, "");
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  const settings = { model: model ?? "gpt-4o-mini-tts", response_format: "mp3" };
  return {
    id: `openai ${base} ${settings.model} ${voice ?? ""}`,
    name: `openai (${settings.model})`,
    speak: ({ text, voice: own }, signal) => {
      const body = JSON.stringify({ ...settings, input: text, voice: own ?? voice ?? "coral" });
      return askForAudio({ url: `${base}/audio/speech`, headers, signal, body });
    },
    voices: async (signal) =>
      base === ownUrl
        ? ownVoices.map((name) => ({ name, language: "Multilingual" }))
        : readVoices(await askForJson({ url: `${base}/audio/voices`, headers, signal })),
  };
}

/** Reads `{"voices": ["a", …]}`, `{"voices": [{"id": "a", "name": "A"}, …]}` and the lists alone, as local servers answer them. */
function readVoices(answer: unknown): Voice[] {
  const list = Array.isArray(answer) ? answer : ((answer as { voices?: unknown } | null)?.voices ?? []);
  if (!Array.isArray(list)) throw new Error("the speech engine answered no list of voices");
  return list.flatMap((one: unknown) => {
    const { id, name, language } = (typeof one === "string" ? { id: one } : (one ?? {})) as Record<string, unknown>;
    const known = [id, name].find((text) => typeof text === "string");
    return typeof known === "string" ? [{ name: known, language: typeof language === "string" ? language : "" }] : [];
  });
}
