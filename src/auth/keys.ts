// What API keys and overlay keys have in common: their text, how many a streamer may have (and how many OAuth clients), their revocation and
// their last use.

import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { recordAudit } from "../audit/audit-log.ts";
import { lockByName } from "../db/advisory-lock.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { startIntervalTask } from "../telemetry/interval-task.ts";
import { raiseCredentialVersion } from "./revocations.ts";

/** `v1`: an API key. `o1`: an overlay key. */
export type KeyKind = "v1" | "o1";

type KeyParts = Readonly<{
  /** The part that may be shown, and by which the key is looked up. */
  publicId: string;
  /** SHA-256 of the whole key. The key itself is never stored. */
  hash: Buffer;
}>;

/** A key by its id or public part, and only a key of `streamerId` when that is not null. */
type RevokedKey = Readonly<{ idOrPublicId: string; streamerId: string | null }>;

type LastUse = { record: (keyId: string) => void; stop: () => Promise<void> };

type KeyUses = { recordUses: (uses: ReadonlyMap<string, Date>) => Promise<void> };

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const publicLength = 8;
const secretLength = 32;
const checksumLength = 6;

/** Of a streamer, by their tables. `most`: that work at a time. */
const quotas = {
  api_keys: {
    ...{ kind: "API keys", most: 100, owner: "streamer_id", remedy: "revoke" },
    works: "revoked_at is null and coalesce(expires_at > now(), true)",
  },
  overlay_keys: { kind: "overlay keys", most: 20, owner: "streamer_id", remedy: "revoke", works: "revoked_at is null" },
  oauth_clients: { kind: "applications", most: 20, owner: "owner_id", remedy: "delete", works: "removed_at is null" },
} as const;
const createdPerHour = 60;
const flushMs = 10_000;
const failureMessage = "the last use of keys could not be recorded";

/**
 * Creates a new key: `<brand>_<kind>_`, 8 public and 32 secret base62 characters, and a checksum of 6 (interface 5.2). It is shown once.
 * Stored is only what `readKey` returns.
 */
export function makeKey(brand: string, kind: KeyKind): string {
  const key = `${brand}_${kind}_${randomBase62(publicLength + secretLength)}`;
  return key + checksum(key);
}

/**
 * Splits a key into its parts. Null for a text that can't be a key of this brand and kind. The checksum detects typing errors without a
 * database.
 */
export function readKey(brand: string, kind: KeyKind, text: string): KeyParts | null {
  const prefix = `${brand}_${kind}_`;
  const body = text.slice(0, -checksumLength);
  if (!text.startsWith(prefix) || text.length !== prefix.length + publicLength + secretLength + checksumLength) return null;
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) || checksum(body) !== text.slice(-checksumLength)) return null;
  return { publicId: body.slice(prefix.length, prefix.length + publicLength), hash: createHash("sha256").update(text).digest() };
}

/** Unbiased random base62 characters from the system's generator. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** CRC-32 of the text, as six base62 digits. */
function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i += 1) {
    digits = alphabet[remainder % alphabet.length] + digits;
    remainder = Math.floor(remainder / alphabet.length);
  }
  return digits;
}

/** No further key or client may be created now. The message names the limit and may be shown to the streamer. */
export class TooManyKeys extends Error {}

/** `replaces`: the new one takes the place of all others. */
type NewOfStreamer = Readonly<{ of: keyof typeof quotas; replaces?: boolean }>;

/** Throws TooManyKeys. Locks the streamer's quota until the transaction ends, so that those created at the same time are counted too. */
export async function requireQuota(
  transaction: Knex.Transaction,
  streamerId: string,
  { of, replaces = false }: NewOfStreamer,
): Promise<void> {
  const { kind, most, works, owner, remedy } = quotas[of];
  // An advisory lock and not a lock of the streamer's row, because recording donations waits for that row.
  await lockByName(transaction, `${of} ${streamerId}`);
  const { rows } = await transaction.raw<{ rows: [{ live: number; created: number }] }>(
    `select count(*) filter (where ${works}) as live, count(*) filter (where created_at > now() - interval '1 hour') as created
     from ${of} where ${owner} = ?`,
    [streamerId],
  );
  const [{ live, created }] = rows;
  if (!replaces && live >= most) throw new TooManyKeys(`a streamer can have at most ${most} ${kind} that work; ${remedy} one first`);
  if (created >= createdPerHour) throw new TooManyKeys(`a streamer can create at most ${createdPerHour} ${kind} per hour; try again later`);
}

/** False when there is no such key that works. Every process refuses it within a second. */
export function revokeKey(knex: Knex, kind: "api_key" | "overlay_key", { idOrPublicId, streamerId }: RevokedKey): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const revoked: { id: string; streamer_id: string }[] = await trx(`${kind}s`)
      .whereRaw("(id::text = ? or public_id = ?) and revoked_at is null", [idOrPublicId, idOrPublicId])
      .modify((keys) => void (streamerId !== null && keys.where("streamer_id", streamerId)))
      .update({ revoked_at: trx.fn.now() }, ["id", "streamer_id"]);
    if (revoked.length > 0) await raiseCredentialVersion(trx);
    for (const { id, streamer_id: owner } of revoked) await recordAudit(trx, { streamerId: owner, action: `${kind}.revoked`, target: id });
    return revoked.length > 0;
  });
}

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
