// Erases donators: everything that they wrote, in transactions of a bounded size. Sums and counts stay.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { recordAudit } from "../audit/audit-log.ts";
import { lockByName } from "../db/advisory-lock.ts";
import { invalidateAnswers } from "../db/answer-cache.ts";
import { newId } from "../db/ids.ts";
import { erasedPrefix } from "../donations/donation.ts";
import { eraseDonatorNote } from "../donations/donator-notes.ts";
import { Problem } from "../http/problem.ts";
import { dropDonatorKey, holdFolds } from "../reports/roll-ups/donator-numbers.ts";
import { foldAll } from "../reports/roll-ups/rollup.ts";
import { chunkSize, type Erased, eraseRows, lockTimeoutMs, nothing, type Target } from "./erase-rows.ts";
import { hashDonator, type Journal } from "./erasure-journal.ts";

export type EraserDeps = Readonly<{
  knex: Knex;
  journal: Journal;
  /** Key of the hashes in the journal. */
  secret: Buffer;
  /** Called after each commit that erased something. Must not throw. */
  announce: (streamerId: string) => void;
}>;

export type Eraser = Readonly<{
  /** What an erasure of these donators would erase now. */
  count: (streamerId: string, donatorKeys: readonly string[]) => Promise<Counted>;
  /**
   * Erases the donators with these keys. The journal has an entry before the first donation changes, so that an interrupted call is continued
   * by `eraseNamed`. Throws unavailable when the streamer's donations stay locked; a repeated call erases what is left.
   */
  erase: (streamerId: string, donatorKeys: readonly string[]) => Promise<Erased>;
  /** Erases one donator, as `erase` does, under an id that the caller chose. Resolves to null, and erases nothing, when the id was used before. */
  eraseOnce: (id: string, streamerId: string, donatorKey: string) => Promise<Erased | null>;
  /** Erases a donator whose erasure is in the journal. `until`: donations received later stay (milliseconds since 1970). */
  eraseNamed: (named: NamedErasure) => Promise<Erased>;
}>;

/** Number of donations, and when the first and the last were received (milliseconds since 1970). */
export type Counted = Readonly<{ donations: number; firstAt: number | null; lastAt: number | null }>;

type NamedErasure = Readonly<{ id: string; streamerId: string; donatorKey: string; until: number | null }>;

/** Sequences that a statement looks through for the donations of a donator. */
const windowSize = 200_000;
/** A donator who donates all the time is erased up to some moment. */
const maxRounds = 20;
const foldPauseMs = 50;
const maxFoldWaits = 600;

export function makeEraser(deps: EraserDeps): Eraser {
  const { knex, journal, secret } = deps;
  const eraseOnce = async (id: string, streamerId: string, donatorKey: string): Promise<Erased | null> => {
    const { donations } = await countOf(knex, streamerId, [donatorKey]);
    if (donations === 0) return nothing;
    const entry = { version: 1, id, streamer: streamerId, donator: hashDonator(secret, streamerId, donatorKey) } as const;
    const note = () => journal.append({ ...entry, type: "began", at: new Date().toISOString() });
    if (!(await beginOnce(knex, { id, streamerId, note }))) return null;
    const erased = await eraseDonator(deps, { id, streamerId, donatorKey, until: null });
    await journal.append({ ...entry, type: "finished", at: new Date(await finishedAt(knex, id)).toISOString() });
    return erased;
  };
  return {
    count: (streamerId, donatorKeys) => countOf(knex, streamerId, donatorKeys),
    erase: async (streamerId, donatorKeys) => {
      let all = nothing;
      for (const donatorKey of new Set(donatorKeys)) all = plus(all, (await eraseOnce(newId(), streamerId, donatorKey)) ?? nothing);
      return all;
    },
    eraseOnce,
    eraseNamed: (named) => eraseDonator(deps, named),
  };
}

export function plus(a: Erased, b: Erased): Erased {
  return { donations: a.donations + b.donations, speeches: a.speeches + b.speeches, answers: a.answers + b.answers };
}

/**
 * Reports stay exact meanwhile: the new key stands for the same donator as the old one from the first transaction on, and the old one is
 * forgotten in the last.
 */
async function eraseDonator(deps: EraserDeps, named: NamedErasure): Promise<Erased> {
  const { knex } = deps;
  const { id, streamerId } = named;
  if (await hasLaterOnly(knex, named)) return nothing;
  await begin(knex, id, streamerId);
  let all = nothing;
  let after = 0;
  for (let round = 1; ; round += 1) {
    const upTo = await foldUpTo(knex, streamerId);
    all = plus(all, await eraseBetween(deps, named, { after, upTo }));
    after = upTo;
    if (await finish(deps, named, { after, isLast: round === maxRounds })) break;
  }
  return all;
}

async function begin(knex: Knex, id: string, streamerId: string): Promise<void> {
  await knex.raw("insert into erasures (id, streamer_id) values (?, ?) on conflict (id) do nothing", [id, streamerId]);
}

type Beginning = { id: string; streamerId: string; note: () => Promise<void> };

/**
 * False when an erasure with this id has begun before. Writes its beginning into the journal once, and first. The row comes last, because it
 * locks the streamer's row, which donations wait for; calls with the same id wait for each other by a lock of their own.
 */
function beginOnce(knex: Knex, { id, streamerId, note }: Beginning): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    await transaction.raw(`set local lock_timeout = ${lockTimeoutMs}`);
    await lockByName(transaction, `erasure ${id}`);
    if (await transaction("erasures").where({ id }).first("id")) return false;
    await note();
    await begin(transaction, id, streamerId);
    await recordAudit(transaction, { streamerId, action: "erasure.began", target: id });
    return true;
  });
}

/** Whether the donator was erased before and has donated again since: those donations are not part of this erasure, nor is their key. */
async function hasLaterOnly(knex: Knex, { streamerId, donatorKey, until }: NamedErasure): Promise<boolean> {
  if (until === null) return false;
  const { rows } = await knex.raw<{ rows: { later: boolean }[] }>(
    "select min(received_at) > from_millis(?) as later from donations where streamer_id = ? and donator_key = ?",
    [Math.floor(until), streamerId, donatorKey],
  );
  return rows[0]?.later === true;
}

/** Resolves to the sequence up to which donations are folded, once that is at least the last one of now. */
async function foldUpTo(knex: Knex, streamerId: string): Promise<number> {
  const wanted = await lastSequence(knex, streamerId);
  for (let waits = 0; waits < maxFoldWaits; waits += 1) {
    await foldAll(knex, streamerId); // unless another process folds
    const row = await knex("report_progress").where("streamer_id", streamerId).first("rolled_sequence");
    const rolled = Number(row?.rolled_sequence ?? 0);
    if (rolled >= wanted) return rolled;
    await sleep(foldPauseMs);
  }
  throw new Problem("unavailable", "The streamer's reports are being computed again; repeat the request later.");
}

type Between = { after: number; upTo: number };

async function eraseBetween(deps: EraserDeps, named: NamedErasure, { after, upTo }: Between): Promise<Erased> {
  const { knex, announce } = deps;
  const { id, streamerId } = named;
  let all = nothing;
  for (let from = after; from < upTo; ) {
    const end = Math.min(from + windowSize, upTo);
    const targets = await findTargets(knex, named, { after: from, upTo: end });
    if (targets.length === 0) {
      from = end;
      continue;
    }
    const begun = performance.now();
    const erased = await knex.transaction(async (transaction) => {
      const rows = await eraseRows(transaction, streamerId, targets);
      if (rows) await transaction.raw("update erasures set donations = donations + ? where id = ?", [rows.donations, id]);
      return rows;
    });
    if (!erased) continue;
    announce(streamerId);
    all = plus(all, erased);
    const last = targets[erased.donations - 1] as Target;
    from = erased.donations < chunkSize && erased.donations === targets.length ? end : last.sequence;
    if (from < upTo) await sleep(performance.now() - begun); // recording has priority
  }
  return all;
}

async function findTargets(knex: Knex, { id, streamerId, donatorKey, until }: NamedErasure, { after, upTo }: Between): Promise<Target[]> {
  const { rows } = await knex.raw<{ rows: Pick<Target, "id" | "sequence">[] }>(
    `select id, sequence from donations where streamer_id = ? and sequence > ? and sequence <= ? and donator_key = ?
       ${until === null ? "" : "and received_at <= from_millis(?)"} order by sequence limit ${chunkSize}`,
    [streamerId, after, upTo, donatorKey, ...(until === null ? [] : [Math.floor(until)])],
  );
  return rows.map((row) => ({ ...row, from: donatorKey, to: `${erasedPrefix}${id}` }));
}

/**
 * Forgets the old key. False: the donator has donated meanwhile, so that nothing is finished. After the last round such donations stay, and so
 * does the key: they may be in the roll-ups already. Recording waits for the lock of the streamer: only what has come in the meantime is
 * looked at under it.
 */
async function finish(deps: EraserDeps, named: NamedErasure, { after, isLast }: { after: number; isLast: boolean }): Promise<boolean> {
  const { knex, announce } = deps;
  const { streamerId } = named;
  const seen = await lastSequence(knex, streamerId);
  const isLate = await hasDonatedAgain(knex, named, after);
  if (isLate && !isLast) return false;
  const isFinished = await knex.transaction(async (transaction) => {
    await transaction.raw(`set local lock_timeout = ${lockTimeoutMs}`);
    await holdFolds(transaction, streamerId);
    await transaction.raw("select from streamers where id = ? for update", [streamerId]);
    const staysInUse = isLate || (await hasDonatedAgain(transaction, named, seen));
    if (staysInUse && !isLast) return false;
    await noteFinished(transaction, { ...named, staysInUse });
    return true;
  });
  if (isFinished) announce(streamerId);
  return isFinished;
}

/** Whether the donator has donated after this sequence; false where later donations stay anyway. */
async function hasDonatedAgain(knex: Knex, { streamerId, donatorKey, until }: NamedErasure, after: number): Promise<boolean> {
  if (until !== null) return false;
  const later = await knex("donations")
    .where({ streamer_id: streamerId, donator_key: donatorKey })
    .where("sequence", ">", after)
    .first("id");
  return later !== undefined;
}

async function noteFinished(
  transaction: Knex.Transaction,
  { id, streamerId, donatorKey, staysInUse }: NamedErasure & { staysInUse: boolean },
): Promise<void> {
  if (!staysInUse) await dropDonatorKey(transaction, streamerId, donatorKey);
  await eraseDonatorNote(transaction, streamerId, donatorKey);
  await transaction.raw("update erasures set finished_at = statement_timestamp() where id = ?", [id]);
  await invalidateAnswers(transaction, streamerId);
  const row = await transaction("erasures").where({ id }).first("donations");
  await recordAudit(transaction, { streamerId, action: "erasure.finished", target: id, details: { donations: row.donations } });
}

async function countOf(knex: Knex, streamerId: string, donatorKeys: readonly string[]): Promise<Counted> {
  const last = await lastSequence(knex, streamerId);
  let all: Counted = { donations: 0, firstAt: null, lastAt: null };
  for (let after = 0; after < last; after += windowSize) {
    const { rows } = await knex.raw<{ rows: [Counted] }>(
      `select count(*) as donations, to_millis(min(received_at)) as "firstAt", to_millis(max(received_at)) as "lastAt" from (
         select donator_key, received_at from donations where streamer_id = ? and sequence > ? and sequence <= ? order by sequence offset 0
       ) d where donator_key = any(?)`,
      [streamerId, after, after + windowSize, donatorKeys],
    );
    const { donations, firstAt, lastAt } = rows[0];
    all = { donations: all.donations + donations, firstAt: all.firstAt ?? firstAt, lastAt: lastAt ?? all.lastAt };
  }
  return all;
}

async function lastSequence(knex: Knex, streamerId: string): Promise<number> {
  const row = await knex("streamers").where({ id: streamerId }).first("last_sequence");
  return Number(row?.last_sequence ?? 0);
}

/** When an erasure ended, in milliseconds since 1970, by the database's clock, by which donations are received. */
export async function finishedAt(knex: Knex, id: string): Promise<number> {
  const { rows } = await knex.raw<{ rows: { at: number }[] }>("select to_millis(finished_at) as at from erasures where id = ?", [id]);
  return (rows[0] as { at: number }).at;
}
