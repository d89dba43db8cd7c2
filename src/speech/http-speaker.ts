// Speech by an HTTP service: it receives POST {text, language, voice} as JSON, and responds with the audio.

import { type Audio, maxAudioBytes, type Speaker, TextRefused } from "./speaker.ts";
import { wavDurationMs } from "./wav.ts";

export type HttpSpeakerDeps = { url: string; token: string | null; voice: string | null };

/** Accepts only a 200 with audio of a bounded size, and no redirects: donators' texts and the token must go to this address only. */
export function httpSpeaker({ url, token, voice }: HttpSpeakerDeps): Speaker {
  const headers = { "Content-Type": "application/json", Accept: "audio/*", ...(token && { Authorization: `Bearer ${token}` }) };
  return {
    id: `http ${url} ${voice ?? ""}`,
    speak: async ({ text, language, voice: own }, signal) => {
      const body = JSON.stringify({ text, language, voice: own ?? voice });
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

/** Media types that engines use, and the names by which the contract serves them. */
const mediaTypes = new Map(
  Object.entries({
    "audio/wav": ["audio/wave", "audio/x-wav", "audio/vnd.wave"],
    "audio/mpeg": ["audio/mp3", "audio/x-mp3", "audio/x-mpeg", "audio/mpeg3"],
    "audio/ogg": ["audio/opus", "audio/x-ogg"],
    "audio/mp4": ["audio/m4a", "audio/x-m4a"],
    "audio/webm": [],
  }).flatMap(([mime, others]) => [mime, ...others].map((name) => [name, mime] as const)),
);

/** Statuses of a request that is wrong in itself: another text may be spoken. */
const refusals = new Set([400, 413, 415, 422]);

async function readAudio(answer: Response): Promise<Audio | null> {
  if (refusals.has(answer.status)) throw new TextRefused(`the speech engine answered ${answer.status}`);
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
    if (length > maxAudioBytes) return null;
    chunks.push(chunk);
  }
  if (length === 0) throw new TextRefused("the speech engine answered nothing");
  return Buffer.concat(chunks);
}
