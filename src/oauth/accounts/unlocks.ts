// Unlocks of streamers whose logins are locked: the operator's command writes them into the audit log, which every process reads.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { type FindUnlock, lockSeconds } from "./login-throttle.ts";

/** Rows of the operator's chain among which unlocks are looked for. */
const maxLines = 1_000;
/** How long what was read counts, so that a flood of refused logins costs one statement in this time. */
const keptMs = 1_000;

/** Lets the streamer try again, wherever the locked attempts came from. Every process knows it a second later. */
export function unlockLogins(knex: Knex, streamerId: string): Promise<void> {
  return knex.transaction((trx) => recordAudit(trx, { streamerId: null, action: "login.unlocked", target: streamerId }));
}

/** `now`: in milliseconds. */
export function unlockFinder(knex: Knex, now: () => number = () => performance.now()): FindUnlock {
  let readAt = Number.NEGATIVE_INFINITY;
  let unlocks: Promise<ReadonlyMap<string, string>> = Promise.resolve(new Map());
  return async (handle) => {
    if (now() - readAt >= keptMs) {
      readAt = now();
      unlocks = readUnlocks(knex);
    }
    return (await unlocks).get(handle) ?? null;
  };
}

/** By handle: the number of the line of its last unlock that is in force. */
async function readUnlocks(knex: Knex): Promise<ReadonlyMap<string, string>> {
  const { rows } = await knex.raw<{ rows: { handle: string; number: string }[] }>(
    `select h.handle, max(l.number)::text as number
     from (select entry::jsonb as entry, number from audit_log
           where chain = 'operator' and at > now() - ? * interval '1 second' order by number desc limit ?) as l
     join streamer_handles h on h.streamer_id::text = l.entry ->> 'target'
     where l.entry ->> 'action' = 'login.unlocked' group by h.handle`,
    [lockSeconds, maxLines],
  );
  return new Map(rows.map(({ handle, number }) => [handle, number]));
}
