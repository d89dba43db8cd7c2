// Speech from an HTTP service: POST {text, language, voice} as JSON, answered with the audio itself.

import { type Audio, mostAudioBytes, type Speaker } from "./speaker.ts";
import { wavDurationMs } from "./wav.ts";

export type HttpSpeakerParts = { url: string; token: string | null; voice: string | null };

/** Takes only a 200 with audio of a bounded size. Redirects are refused: donors' words, and the token, go to this address alone. */
export function httpSpeaker({ url, token, voice }: HttpSpeakerParts): Speaker {
  const headers = { "Content-Type": "application/json", Accept: "audio/*", ...(token && { Authorization: `Bearer ${token}` }) };
  return {
    id: `http ${url} ${voice ?? ""}`,
    speak: async ({ text, language }, signal) => {
      const body = JSON.stringify({ text, language, voice });
      const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
      try {
        return await readAudio(answer);
      } catch (error) {
        await answer.body?.cancel().catch(() => {}); // frees the connection
        throw error;
      }
    },
  };
}

/** Media types that engines use, and the names by which the contract serves them (`SpeechFound` in spec/overlay.tsp). */
const mediaTypes = new Map(
  Object.entries({
    "audio/wav": ["audio/wave", "audio/x-wav", "audio/vnd.wave"],
    "audio/mpeg": ["audio/mp3", "audio/x-mp3", "audio/x-mpeg", "audio/mpeg3"],
    "audio/ogg": ["audio/opus", "audio/x-ogg"],
    "audio/mp4": ["audio/m4a", "audio/x-m4a"],
    "audio/webm": [],
  }).flatMap(([mime, others]) => [mime, ...others].map((name) => [name, mime] as const)),
);

async function readAudio(answer: Response): Promise<Audio | null> {
  if (answer.status !== 200) throw new Error(`the speech engine answered ${answer.status}`);
  const named = /^\s*(audio\/[\w.+-]+)\s*(?:;|$)/i.exec(answer.headers.get("Content-Type") ?? "")?.[1]?.toLowerCase();
  if (!named) throw new Error("the speech engine answered something that is no audio");
  const mime = mediaTypes.get(named);
  if (!mime) throw new Error(`the speech engine answered ${named}, which overlays are not served`);
  const bytes = await readBounded(answer);
  return bytes && { mime, bytes, durationMs: wavDurationMs(bytes) };
}

async function readBounded(answer: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > mostAudioBytes) return null;
    chunks.push(chunk);
  }
  if (length === 0) throw new Error("the speech engine answered nothing");
  return Buffer.concat(chunks);
}
