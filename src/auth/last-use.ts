// When a key was last used, to the minute, written in the background.

import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { ApiKeys } from "./api-keys.ts";

const flushMs = 10_000;

export type LastUse = { note: (apiKeyId: string) => void; stop: () => Promise<void> };

/** Gathers uses and writes them every ten seconds; `stop` writes what is left. */
export function trackLastUse(apiKeys: Pick<ApiKeys, "noteUse">, log: Logger): LastUse {
  const pending = new Map<string, Date>();
  const written = new Map<string, number>();

  const flush = async () => {
    if (pending.size === 0) return;
    const uses = new Map(pending);
    pending.clear();
    try {
      await apiKeys.noteUse(uses);
    } catch (error) {
      log.warn({ error: describeFailure(error) }, "can't note when keys were used");
    }
  };
  const timer = setInterval(flush, flushMs);

  return {
    note: (apiKeyId) => {
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
