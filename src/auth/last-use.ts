// Records when each key was last used, and writes it in the background.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { startIntervalTask } from "../telemetry/interval-task.ts";

const flushMs = 10_000;
const failureMessage = "the last use of keys could not be recorded";

export type LastUse = { record: (keyId: string) => void; stop: () => Promise<void> };

type KeyUses = { recordUses: (uses: ReadonlyMap<string, Date>) => Promise<void> };

/** Writes uses every ten seconds; `stop` writes those that are not written yet. `precisionMs`: a key is written once in that time. */
export function trackLastUse(keys: KeyUses, precisionMs: number, log: Logger): LastUse {
  /** By key: the time of its last use, rounded down, for as long as it may be the same. */
  const recorded = new Map<string, number>();
  let pending = new Map<string, Date>();

  const flush = async () => {
    const uses = pending;
    pending = new Map();
    for (const [keyId, since] of recorded) if (since < roundDown(Date.now(), precisionMs)) recorded.delete(keyId);
    if (uses.size === 0) return;
    await keys.recordUses(uses).catch((error) => {
      for (const keyId of uses.keys()) recorded.delete(keyId); // the next use is written again
      throw error;
    });
  };
  const task = startIntervalTask({ pauseMs: flushMs, log, failureMessage }, flush);

  return {
    record: (keyId) => {
      const since = roundDown(Date.now(), precisionMs);
      if (recorded.get(keyId) === since) return;
      recorded.set(keyId, since);
      pending.set(keyId, new Date(since));
    },
    stop: async () => {
      await task.stop();
      await flush().catch((error) => log.warn({ error: describeFailure(error) }, failureMessage));
    },
  };
}

function roundDown(ms: number, precisionMs: number): number {
  return Math.floor(ms / precisionMs) * precisionMs;
}

/** Writes uses of keys by their ids. A use never goes back to an earlier time. */
export async function recordKeyUses(knex: Knex, table: "api_keys" | "overlay_keys", uses: ReadonlyMap<string, Date>): Promise<void> {
  const ids = [...uses.keys()];
  await knex.raw(
    `update ?? keys set last_used_at = greatest(last_used_at, used.at, created_at)
     from unnest(?::uuid[], ?::timestamptz[]) as used(id, at) where keys.id = used.id`,
    [table, ids, ids.map((id) => uses.get(id))],
  );
}
