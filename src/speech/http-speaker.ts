// Speech by an HTTP service, which receives POST {text, language, voice} as JSON and responds with the audio; and what all engines behind HTTP
// have in common: bounded answers, refusals of a single text, no redirects.

import { type Audio, maxAudioBytes, type Speaker, TextRefused } from "./speaker.ts";
import { wavDurationMs } from "./wav.ts";

type HttpSettings = { url: string; token: string | null; voice: string | null };

export function httpSpeaker({ url, token, voice }: HttpSettings): Speaker {
  const headers = { "Content-Type": "application/json", Accept: "audio/*", ...(token && { Authorization: `Bearer ${token}` }) };
  return {
    id: `http ${url} ${voice ?? ""}`,
    name: "the engine of TTS_URL",
    speak: ({ text, language, voice: own }, signal) =>
      askForAudio({ url, headers, signal, body: JSON.stringify({ text, language, voice: own ?? voice }) }),
  };
}

/** `url` and headers of a request. Errors never quote them, because they may hold a key. */
type EngineRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body?: string; signal: AbortSignal }>;

/** Base64 of the longest audio, and the rest of a JSON answer. */
const maxJsonBytes = 1.5 * maxAudioBytes;

/** Statuses of a request that is wrong in itself: another text may be spoken. */
const refusals = new Set([400, 413, 415, 422]);

/** Asks for audio by POST. Resolves to null when it is too long. Rejects as Speaker.speak does. */
export function askForAudio(request: EngineRequest): Promise<Audio | null> {
  return ask(request, async (answer) => {
    const named = /^\s*(audio\/[\w.+-]+)\s*(?:;|$)/i.exec(answer.headers.get("Content-Type") ?? "")?.[1]?.toLowerCase();
    if (!named) throw new Error("the speech engine answered something that is no audio");
    const mime = mediaTypes.get(named);
    if (!mime) throw new Error(`the speech engine answered ${named}, which overlays are not served`);
    const bytes = await readBounded(answer, maxAudioBytes);
    return bytes && toAudio(mime, bytes);
  });
}

/** Asks for JSON: by POST with a body, else by GET. Resolves to null when the answer is too long. Rejects as Speaker.speak does. */
export function askForJson(request: EngineRequest): Promise<unknown> {
  return ask(request, async (answer) => {
    const bytes = await readBounded(answer, maxJsonBytes);
    return bytes && JSON.parse(bytes.toString());
  });
}

export function toAudio(mime: string, bytes: Buffer): Audio {
  if (bytes.length === 0) throw new TextRefused("the speech engine answered nothing");
  return { mime, bytes, durationMs: wavDurationMs(bytes) };
}

/** Accepts only 200 and no redirects: donators' texts and the key must go to this address only. */
async function ask<Result>({ url, headers, body, signal }: EngineRequest, read: (answer: Response) => Promise<Result>): Promise<Result> {
  const answer = await fetch(url, { method: body === undefined ? "GET" : "POST", headers, body, signal, redirect: "error" });
  try {
    if (refusals.has(answer.status)) throw new TextRefused(`the speech engine answered ${answer.status}`);
    if (answer.status !== 200) throw new Error(`the speech engine answered ${answer.status}`);
    return await read(answer);
  } catch (error) {
    await answer.body?.cancel().catch(() => {}); // frees the connection
    throw error;
  }
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

async function readBounded(answer: Response, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
