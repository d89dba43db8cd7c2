// Records when each key was last used, and writes it in the background.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

const flushMs = 10_000;

export type LastUse = { record: (keyId: string) => void; stop: () => Promise<void> };

type KeyUses = { recordUses: (uses: ReadonlyMap<string, Date>) => Promise<void> };

/** Writes uses every ten seconds; `stop` writes those that are not written yet. `precisionMs`: a key is written once in that time. */
export function trackLastUse(keys: KeyUses, precisionMs: number, log: Logger): LastUse {
  const pending = new Map<string, Date>();
  const written = new Map<string, number>();

  const flush = async () => {
    if (pending.size === 0) return;
    const uses = new Map(pending);
    pending.clear();
    try {
      await keys.recordUses(uses);
    } catch (error) {
      log.warn({ error: describeFailure(error) }, "the last use of keys could not be recorded");
    }
  };
  const timer = setInterval(flush, flushMs);

  return {
    record: (keyId) => {
      const since = Math.floor(Date.now() / precisionMs) * precisionMs;
      if (written.get(keyId) === since) return;
      written.set(keyId, since);
      pending.set(keyId, new Date(since));
    },
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

/** Writes uses of keys by their ids. A use never goes back to an earlier time. */
export async function recordKeyUses(knex: Knex, table: "api_keys" | "overlay_keys", uses: ReadonlyMap<string, Date>): Promise<void> {
  const ids = [...uses.keys()];
  await knex.raw(
    `update ?? keys set last_used_at = greatest(last_used_at, used.at)
     from unnest(?::uuid[], ?::timestamptz[]) as used(id, at) where keys.id = used.id`,
    [table, ids, ids.map((id) => uses.get(id))],
  );
}
