// Records when each API key was last used, to the minute, and writes it in the background.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { ApiKeys } from "./api-keys.ts";

const flushMs = 10_000;

export type LastUse = { record: (apiKeyId: string) => void; stop: () => Promise<void> };

/** Writes uses every ten seconds; `stop` writes those that are not written yet. */
export function trackLastUse(apiKeys: Pick<ApiKeys, "recordUses">, log: Logger): LastUse {
  const pending = new Map<string, Date>();
  const written = new Map<string, number>();

  const flush = async () => {
    if (pending.size === 0) return;
    const uses = new Map(pending);
    pending.clear();
    try {
      await apiKeys.recordUses(uses);
    } catch (error) {
      log.warn({ error: describeFailure(error) }, "the last use of API keys could not be recorded");
    }
  };
  const timer = setInterval(flush, flushMs);

  return {
    record: (apiKeyId) => {
      const minute = Math.floor(Date.now() / 60_000) * 60_000;
      if (written.get(apiKeyId) === minute) return;
      written.set(apiKeyId, minute);
      pending.set(apiKeyId, new Date(minute));
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
