// Speech by an HTTP service: it receives POST {text, language, voice} as JSON, and responds with the audio.

import { askForAudio } from "./ask-http.ts";
import type { Speaker } from "./speaker.ts";

export type HttpSpeakerDeps = { url: string; token: string | null; voice: string | null };

export function httpSpeaker({ url, token, voice }: HttpSpeakerDeps): Speaker {
  const headers = { "Content-Type": "application/json", Accept: "audio/*", ...(token && { Authorization: `Bearer ${token}` }) };
  return {
    id: `http ${url} ${voice ?? ""}`,
    name: "the engine of TTS_URL",
    speak: ({ text, language, voice: own }, signal) =>
      askForAudio({ url, headers, signal, body: JSON.stringify({ text, language, voice: own ?? voice }) }),
  };
}
