// Says at the start when nobody answers at TTS_URL. A server that comes later is used without a restart.

import type { Logger } from "pino";
import type { TtsConfig } from "../config-tts.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";

const limitMs = 3_000;

/** Any answer of HTTP is one. Neither a text nor the token is sent. Never rejects. */
export async function warnUnreachable(tts: TtsConfig, log: Logger, timeoutMs = limitMs): Promise<void> {
  if (!("url" in tts) || tts.url === null) return;
  const { origin } = new URL(tts.url);
  try {
    const answer = await fetch(origin, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    await answer.body?.cancel();
  } catch (error) {
    const reason = describeFailure((error as Error).cause ?? error);
    log.warn({ error: reason }, `TTS_URL: nobody answers at ${origin}. Alerts are shown without speech until somebody does`);
  }
}
