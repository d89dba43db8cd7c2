// Limits how many keys and OAuth clients a streamer may have, because each has its own rate-limit buckets and a row that is never deleted.

import type { Knex } from "knex";
import { lockByName } from "../db/advisory-lock.ts";

/** At most `live` keys that work, and `createdPerHour` new ones. */
type Quota = Readonly<{ kind: string; live: number; createdPerHour: number; remedy?: string }>;
type Counted = Readonly<{ live: number; created: number }>;

const apiKeyQuota: Quota = { kind: "API keys", live: 100, createdPerHour: 60 };
const overlayKeyQuota: Quota = { kind: "overlay keys", live: 20, createdPerHour: 60 };
const clientQuota: Quota = { kind: "applications", live: 20, createdPerHour: 60, remedy: "delete" };

/** No further key or client may be created now. The message names the limit and may be shown to the streamer. */
export class TooManyKeys extends Error {}

/** Throws TooManyKeys. Locks the streamer's quota until the transaction ends, so that keys created at the same time are counted too. */
export async function requireKeyQuota(transaction: Knex.Transaction, streamerId: string): Promise<void> {
  await lockQuota(transaction, "api keys", streamerId);
  const { rows } = await transaction.raw<{ rows: [Counted] }>(
    `select count(*) filter (where revoked_at is null and coalesce(expires_at > now(), true)) as live,
       count(*) filter (where created_at > now() - interval '1 hour') as created
     from api_keys where streamer_id = ?`,
    [streamerId],
  );
  requireBelow(apiKeyQuota, rows[0]);
}

/** The same for overlay keys. `replaces`: the new key takes the place of all others. */
export async function requireOverlayKeyQuota(transaction: Knex.Transaction, streamerId: string, replaces: boolean): Promise<void> {
  await lockQuota(transaction, "overlay keys", streamerId);
  const { rows } = await transaction.raw<{ rows: [Counted] }>(
    `select count(*) filter (where revoked_at is null) as live, count(*) filter (where created_at > now() - interval '1 hour') as created
     from overlay_keys where streamer_id = ?`,
    [streamerId],
  );
  const [{ live, created }] = rows;
  requireBelow(overlayKeyQuota, { live: replaces ? 0 : live, created });
}

/** The same for the OAuth clients that a streamer registers. */
export async function requireClientQuota(transaction: Knex.Transaction, streamerId: string): Promise<void> {
  await lockQuota(transaction, "oauth clients", streamerId);
  const { rows } = await transaction.raw<{ rows: [Counted] }>(
    `select count(*) filter (where removed_at is null) as live, count(*) filter (where created_at > now() - interval '1 hour') as created
     from oauth_clients where owner_id = ?`,
    [streamerId],
  );
  requireBelow(clientQuota, rows[0]);
}

/** An advisory lock and not a lock of the streamer's row, because recording donations waits for that row. */
async function lockQuota(transaction: Knex.Transaction, kind: string, streamerId: string): Promise<void> {
  await lockByName(transaction, `${kind} ${streamerId}`);
}

function requireBelow({ kind, remedy = "revoke", ...quota }: Quota, { live, created }: Counted): void {
  if (live >= quota.live) throw new TooManyKeys(`a streamer can have at most ${quota.live} ${kind} that work; ${remedy} one first`);
  if (created >= quota.createdPerHour)
    throw new TooManyKeys(`a streamer can create at most ${quota.createdPerHour} ${kind} per hour; try again later`);
}
