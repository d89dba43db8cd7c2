// Erases donations by age: a streamer may keep what donators wrote for a number of days after it was recorded.

import { createHmac } from "node:crypto";
import type { Knex } from "knex";
import { audited, recordAudit } from "../audit/audit-log.ts";
import { forEachInTurn } from "../base/async.ts";
import { msPerDay } from "../base/local-days.ts";
import { erasedPrefix } from "../donations/donation.ts";
import { holdFolds } from "../reports/roll-ups/donator-numbers.ts";
import { chunkSize, eraseRows, nothing, type Target } from "./erase-rows.ts";
import type { EraserDeps } from "./eraser.ts";

export type Retention = Readonly<{
  /** For how many days; null: for ever. */
  get: (streamerId: string) => Promise<number | null>;
  set: (streamerId: string, days: number | null) => Promise<void>;
  /** How many donations a run would erase now with this setting. */
  count: (streamerId: string, days: number) => Promise<number>;
  /** Erases a bounded number of donations of every streamer. Resolves to true when there are more; else a streamer's failure is thrown. */
  eraseAged: () => Promise<boolean>;
  /** Erases all of a streamer's donations that were received before this (milliseconds since 1970). Resolves to their number. */
  eraseReceivedBefore: (streamerId: string, before: number) => Promise<number>;
}>;

export const maxRetentionDays = 36_500;

export function isRetentionDays(days: unknown): days is number {
  return Number.isInteger(days) && (days as number) >= 1 && (days as number) <= maxRetentionDays;
}

/** receivedAt never goes back from one donation of a streamer to the next, so that what is old enough is the beginning of the sequence. */
export function makeRetention(deps: EraserDeps): Retention {
  const { knex } = deps;
  return {
    get: async (streamerId) => (await knex("streamers").where({ id: streamerId }).first("retention_days"))?.retention_days ?? null,
    set: (streamerId, days) =>
      audited(
        knex,
        async (trx) => void (await trx("streamers").where({ id: streamerId }).update({ retention_days: days })),
        () => ({ streamerId, action: "retention.set", target: streamerId, details: { days } }),
      ),
    count: (streamerId, days) => countAged(knex, streamerId, Date.now() - days * msPerDay),
    eraseAged: () => eraseAged(deps),
    eraseReceivedBefore: async (streamerId, before) => {
      let count = 0;
      for (let isWhole = false; !isWhole; ) {
        const some = await eraseSome(deps, streamerId, before);
        count += some.erased;
        isWhole = some.isWhole;
      }
      return count;
    },
  };
}

async function eraseAged(deps: EraserDeps): Promise<boolean> {
  const streamers = await deps
    .knex("streamers")
    .whereNotNull("retention_days")
    .select<{ id: string; retention_days: number }[]>("id", "retention_days");
  let hasMore = false;
  const erased = forEachInTurn(streamers, async ({ id, retention_days }) => {
    const { isWhole } = await eraseSome(deps, id, Date.now() - retention_days * msPerDay);
    hasMore ||= !isWhole;
  });
  await erased.catch((error) => {
    if (!hasMore) throw error; // the next run, which follows at once, comes to it again
  });
  return hasMore;
}

type Row = Omit<Target, "to">;

async function eraseSome(deps: EraserDeps, streamerId: string, before: number): Promise<{ erased: number; isWhole: boolean }> {
  const { knex, announce } = deps;
  const rows = await findAged(knex, streamerId, before);
  if (rows.length === 0) return { erased: 0, isWhole: true };
  const [receivedBefore, at] = [new Date(before).toISOString(), new Date().toISOString()];
  await deps.journal.append({ version: 1, type: "aged", streamer: streamerId, receivedBefore, at });
  const targets = rows
    .filter(({ from }) => !from.startsWith(erasedPrefix))
    .map((row) => ({ ...row, to: keyByAge(deps.secret, streamerId, row.from) }));
  const chunk = await knex.transaction(async (transaction) => {
    const erased = targets.length > 0 ? await eraseRows(transaction, streamerId, targets) : nothing;
    if (!erased) return null;
    const { donations } = erased;
    const isAll = donations === targets.length;
    const last = isAll ? rows.at(-1)?.sequence : targets[donations - 1]?.sequence;
    await transaction.raw("update streamers set retained_after = ?, last_sequence = last_sequence + 1 where id = ?", [
      last ?? 0,
      streamerId,
    ]);
    if (donations > 0)
      await recordAudit(transaction, { streamerId, action: "donations.erased_by_age", details: { donations, receivedBefore } });
    return { count: donations, last };
  });
  if (!chunk) return { erased: 0, isWhole: false };
  const { count, last } = chunk;
  const isWhole = rows.length < chunkSize && last === rows.at(-1)?.sequence;
  if (isWhole) await dropUnusedKeys(knex, streamerId);
  announce(streamerId);
  return { erased: count, isWhole };
}

async function findAged(knex: Knex, streamerId: string, before: number): Promise<Row[]> {
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `select d.id, d.sequence, d.donator_key as "from" from (
       select id, sequence, donator_key, received_at from donations
       where streamer_id = :streamerId and sequence > (select retained_after from streamers where id = :streamerId)
         and sequence <= (select rolled_sequence from report_progress where streamer_id = :streamerId)
       order by sequence limit ${chunkSize}
     ) d where d.received_at < from_millis(:before) order by d.sequence`,
    { streamerId, before: Math.floor(before) },
  );
  return rows;
}

/** Sequences that a statement looks through. */
const windowSize = 200_000;

async function countAged(knex: Knex, streamerId: string, before: number): Promise<number> {
  const { retained_after, last_sequence } = await knex("streamers").where({ id: streamerId }).first("retained_after", "last_sequence");
  let count = 0;
  for (let after = Number(retained_after); after < Number(last_sequence); after += windowSize) {
    const { rows } = await knex.raw<{ rows: [{ aged: number; isLast: boolean | null }] }>(
      `select count(*) filter (where received_at < from_millis(:before) and not starts_with(donator_key, '${erasedPrefix}')) as aged,
         bool_or(received_at >= from_millis(:before)) as "isLast" from (
         select donator_key, received_at from donations
         where streamer_id = :streamerId and sequence > :after and sequence <= :upTo order by sequence offset 0
       ) d`,
      { streamerId, before: Math.floor(before), after, upTo: after + windowSize },
    );
    count += rows[0].aged;
    if (rows[0].isLast) break;
  }
  return count;
}

/**
 * The key that replaces a donator's key when donations are erased by age. All donations of a donator get the same one, so reports still count them
 * as one donator. Without the secret nobody can compute it from the donator's key.
 */
function keyByAge(secret: Buffer, streamerId: string, donatorKey: string): string {
  return `${erasedPrefix}${createHmac("sha256", secret).update(`age\0${streamerId}\0${donatorKey}`).digest("hex")}`;
}

/** Forgets the keys of donators all of whose donations are erased, and the streamer's notes about them. */
async function dropUnusedKeys(knex: Knex, streamerId: string): Promise<void> {
  const inUse = `select donator_key from donations
         where streamer_id = :streamerId and sequence > (select retained_after from streamers where id = :streamerId)`;
  await knex.transaction(async (transaction) => {
    await holdFolds(transaction, streamerId);
    await transaction.raw(
      `delete from report_donators r where r.streamer_id = :streamerId and r.key not like 'e:%' and r.key not in (${inUse})`,
      { streamerId },
    );
    await transaction.raw(`delete from donator_notes n where n.streamer_id = :streamerId and n.donator_key not in (${inUse})`, {
      streamerId,
    });
  });
}
