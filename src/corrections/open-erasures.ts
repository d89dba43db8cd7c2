// Opens the eraser, and what follows an erasure in the background: the interrupted are continued, late copies are erased, and each process
// forgets what it caches.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { forEachInTurn } from "../base/async.ts";
import { type Sealer, sharedSecret } from "../db/secrets.ts";
import { forgetLateAnswers } from "../events/erased.ts";
import { maxBatchMs } from "../events/webhooks/worker/batches.ts";
import { pageOfDonatorKeys } from "../reports/roll-ups/donator-numbers.ts";
import { foldAll, rebuildReports } from "../reports/roll-ups/rollup.ts";
import { maxSpeechMs } from "../speech/bounded-speaker.ts";
import { forgetUnusedSpeech } from "../speech/speech-store.ts";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";
import { type Erased, nothing } from "./erase-rows.ts";
import { type Eraser, type EraserDeps, finishedAt, makeEraser, plus } from "./eraser.ts";
import { hashDonator, type JournalEntry, openJournal } from "./erasure-journal.ts";
import { makeRetention, type Retention } from "./retention.ts";

export type Erasures = EraserDeps & Readonly<{ eraser: Eraser; retention: Retention }>;

/** `erasureJournal`: its file. `announce`: called after each commit that erased something; must not throw. */
type ErasureSource = { knex: Knex; erasureJournal: string; sealer: Sealer; announce?: (streamerId: string) => void };

export async function openErasures({ knex, erasureJournal, sealer, announce = () => {} }: ErasureSource): Promise<Erasures> {
  const journal = openJournal(erasureJournal);
  await journal.requireWritable();
  const deps = { knex, journal, secret: await sharedSecret(knex, "erasures", sealer), announce };
  return { ...deps, eraser: makeEraser(deps), retention: makeRetention(deps) };
}

const followMs = 5_000;
const ageMs = 3_600_000;
/** An erasure that has not gone on for so long was interrupted; two processes that continue the same one do no harm. */
const interruptedSeconds = 120;
/** What came may wait for the database before it is written, and clocks differ. */
const marginMs = 30_000;
/** How long after an erasure the speech and the requests to receivers that were under way may still bring something. */
const lateMs = Math.max(maxSpeechMs, maxBatchMs);

/** `forgetCached` drops answers about this streamer from the cache of the process. */
export function startErasureTasks(erasures: Erasures, log: Logger, forgetCached: (streamerId: string) => void): IntervalTask {
  const { knex, retention } = erasures;
  let seen: Seen = { at: new Date().toISOString(), ids: new Set() };
  const tasks = [
    startIntervalTask({ pauseMs: followMs, log, failureMessage: "can't look for erasures of other processes" }, async () => {
      seen = await forgetInMemory(knex, forgetCached, seen);
    }),
    startIntervalTask({ pauseMs: followMs, log, failureMessage: "can't finish erasures" }, () => continueInterrupted(erasures)),
    startIntervalTask({ pauseMs: followMs, log, failureMessage: "can't erase late copies" }, () => sweep(knex)),
    startIntervalTask({ pauseMs: ageMs, log, failureMessage: "can't erase donations by age" }, retention.eraseAged),
  ];
  return { stop: async () => void (await Promise.all(tasks.map(({ stop }) => stop()))) };
}

/** The latest end of an erasure that was seen, and the erasures around it: one that ended a little earlier may be committed later. */
export type Seen = Readonly<{ at: string; ids: ReadonlySet<string> }>;

/** Cached answers that are no longer correct are never used; dropping them frees the memory of what they said. Resolves to what was seen. */
export async function forgetInMemory(knex: Knex, forgetCached: (streamerId: string) => void, seen: Seen): Promise<Seen> {
  const { rows } = await knex.raw<{ rows: { id: string; streamer: string; at: string }[] }>(
    `select id, streamer_id as streamer, finished_at::text as at from erasures
     where finished_at > ?::timestamptz - interval '1 minute' order by finished_at`,
    [seen.at],
  );
  for (const { id, streamer } of rows) if (!seen.ids.has(id)) forgetCached(streamer);
  return { at: rows.at(-1)?.at ?? seen.at, ids: new Set(rows.map(({ id }) => id)) };
}

/** Continues what this machine's journal knows of. */
export async function continueInterrupted(erasures: Erasures, seconds = interruptedSeconds): Promise<void> {
  const { knex, journal } = erasures;
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select id from erasures where finished_at is null and swept_at is null and began_at < clock_timestamp() - ? * interval '1 second'`,
    [seconds],
  );
  if (rows.length === 0) return;
  const ids = new Set(rows.map(({ id }) => id));
  const entries = await journal.read();
  const interrupted = unfinishedOf(entries).filter(({ id }) => ids.has(id));
  await eraseNamedDonators(erasures, interrupted);
  // Whose donator is not found was erased to the last step, or by a later erasure.
  const known = erasuresOf(entries).flatMap(({ id }) => (ids.has(id) ? [id] : []));
  await knex.raw("update erasures set finished_at = statement_timestamp() where id = any(?) and finished_at is null", [known]);
  for (const { id, streamer, donator } of interrupted) {
    const at = new Date(await finishedAt(knex, id)).toISOString();
    await journal.append({ version: 1, type: "finished", id, streamer, donator, at });
  }
}

/** Erases late copies of each erasure that ended so long ago that no more can come. */
export async function sweep(knex: Knex): Promise<void> {
  const waitMs = lateMs + marginMs;
  const { rows } = await knex.raw<{ rows: { id: string; streamer: string; began: number }[] }>(
    `select id, streamer_id as streamer, to_millis(began_at) as began from erasures
     where swept_at is null and finished_at < clock_timestamp() - ? * interval '1 millisecond'`,
    [waitMs],
  );
  await forEachInTurn(rows, async ({ id, streamer, began }) => {
    await forgetLate(knex, streamer, began - waitMs);
    await knex.raw("update erasures set swept_at = statement_timestamp() where id = ?", [id]);
  });
}

/** Erases what requests under way wrote after the erasure, and speech that no alert has used. */
async function forgetLate(knex: Knex, streamerId: string, since: number): Promise<void> {
  await forgetUnusedSpeech(knex, streamerId);
  await forgetLateAnswers(knex, streamerId, since);
}

// Finds the donators whose erasures the journal names by hash, and erases them: after an interruption, and in a restored backup.

/** An erasure of the journal. `until`: donations received later are not part of it (milliseconds since 1970; null: all are part of it). */
type Named = Readonly<{ id: string; streamer: string; donator: string; until: number | null; isFinished: boolean }>;

/** The erasures of a journal, in the order in which they began. One that was interrupted has its beginning alone. */
function erasuresOf(entries: readonly JournalEntry[]): Named[] {
  const named = new Map<string, Named>();
  for (const entry of entries) {
    if (entry.type === "aged") continue;
    const { id, streamer, donator, type, at } = entry;
    named.set(id, { id, streamer, donator, until: Date.parse(at), isFinished: type === "finished" });
  }
  return [...named.values()];
}

/**
 * Those of a journal that no `finished` follows, for their continuation, which erases what was received meanwhile like an erasure that goes on:
 * the new donations and the old ones have one key. Left out are donators whom a later erasure has erased: who donates after that is new.
 */
function unfinishedOf(entries: readonly JournalEntry[]): Named[] {
  const all = erasuresOf(entries);
  const isSuperseded = (one: Named, index: number) =>
    all.some((other, place) => place > index && other.isFinished && other.streamer === one.streamer && other.donator === one.donator);
  return all.filter((one, index) => !one.isFinished && !isSuperseded(one, index)).map((one) => ({ ...one, until: null }));
}

/** Erases what is there of these donators. What is erased already stays as it is, so that it can be repeated. */
async function eraseNamedDonators(erasures: Erasures, named: readonly Named[]): Promise<Erased> {
  let all = nothing;
  for (const [streamerId, theirs] of Map.groupBy(named, ({ streamer }) => streamer))
    if (await erasures.knex("streamers").where({ id: streamerId }).first("id"))
      all = plus(all, await eraseForStreamer(erasures, streamerId, theirs));
  return all;
}

/**
 * Erases in a restored database what the journals name. `others`: entries of further journals, which are added to this machine's. Resolves to
 * what was erased.
 */
export async function reapplyErasures(erasures: Erasures, others: readonly JournalEntry[]): Promise<Erased & { aged: number }> {
  const { knex, journal, retention } = erasures;
  const own = await journal.read();
  const known = new Set(own.map((entry) => JSON.stringify(entry)));
  const added = others.filter((entry) => !known.has(JSON.stringify(entry)));
  for (const entry of added) await journal.append(entry);
  const entries = [...own, ...added].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const erased = await eraseNamedDonators(erasures, erasuresOf(entries));
  // Who donated again after the erasure has a number of their own from now on.
  const streamers = erased.donations > 0 ? new Set(erasuresOf(entries).map(({ streamer }) => streamer)) : [];
  for (const id of streamers) if (await knex("streamers").where({ id }).first("id")) await rebuildReports(knex, id);
  let aged = 0;
  const latest = new Map(entries.flatMap((entry) => (entry.type === "aged" ? [[entry.streamer, entry.receivedBefore] as const] : [])));
  for (const [streamerId, before] of latest) {
    await foldAll(knex, streamerId);
    aged += await retention.eraseReceivedBefore(streamerId, Date.parse(before));
  }
  return { ...erased, aged };
}

async function eraseForStreamer({ knex, secret, eraser }: Erasures, streamerId: string, named: readonly Named[]): Promise<Erased> {
  const byHash = Map.groupBy(named, ({ donator }) => donator);
  await foldAll(knex, streamerId); // gives every donator a row to be found by
  let all = nothing;
  for (let keys = await pageOfDonatorKeys(knex, streamerId, ""); keys.length > 0; ) {
    for (const donatorKey of keys)
      for (const { id, until } of byHash.get(hashDonator(secret, streamerId, donatorKey)) ?? [])
        all = plus(all, await eraser.eraseNamed({ id, streamerId, donatorKey, until }));
    keys = await pageOfDonatorKeys(knex, streamerId, keys.at(-1) as string);
  }
  return all;
}
