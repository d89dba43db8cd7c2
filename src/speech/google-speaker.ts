// Speech by Google Cloud Text-to-Speech (REST, v1), with an API key.

import { askForJson, toAudio } from "./http-speaker.ts";
import type { Speaker, Voice } from "./speaker.ts";

/** `url`: of the API, with its version; null: Google's own. */
type GoogleSettings = Readonly<{ url: string | null; token: string; voice: string | null }>;

const languageCode = "th-TH";

export function googleSpeaker({ url, token, voice }: GoogleSettings): Speaker {
  const base = (url ?? "https://texttospeech.googleapis.com/v1").replace(/\/$/, "");
  // In a header, because addresses are logged on the way.
  const headers = { "Content-Type": "application/json", "X-Goog-Api-Key": token };
  return {
    id: `google ${base} ${voice ?? ""}`,
    name: "google",
    speak: async ({ text, voice: own }, signal) => {
      const name = own ?? voice;
      const body = JSON.stringify({
        input: { text },
        voice: { languageCode: languageOf(name), ...(name && { name }) },
        audioConfig: { audioEncoding: "MP3" },
      });
      const answer = (await askForJson({ url: `${base}/text:synthesize`, headers, signal, body })) as { audioContent?: unknown } | null;
      if (answer === null) return null;
      if (typeof answer.audioContent !== "string") throw new Error("the speech engine answered no audio");
      return toAudio("audio/mpeg", Buffer.from(answer.audioContent, "base64"));
    },
    voices: async (signal) => readVoices(await askForJson({ url: `${base}/voices?languageCode=${languageCode}`, headers, signal })),
  };
}

/** `th-TH-Neural2-C` → `th-TH`: the voice's language has to stand beside its name. */
function languageOf(name: string | null): string {
  return /^[a-z]{2,3}-[A-Z]{2}(?=-)/.exec(name ?? "")?.[0] ?? languageCode;
}

function readVoices(answer: unknown): Voice[] {
  const { voices = [] } = answer as { voices?: { name: string; languageCodes: string[]; ssmlGender?: string }[] };
  return voices.map(({ name, languageCodes, ssmlGender }) => ({
    name,
    language: [languageCodes.join(", "), ssmlGender?.toLowerCase()].filter(Boolean).join(", "),
  }));
}
