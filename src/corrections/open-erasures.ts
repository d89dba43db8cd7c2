// Opens the eraser, and what follows an erasure in the background: the interrupted are continued, late copies are erased, and each process
// forgets what it caches.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { forEachInTurn } from "../base/async.ts";
import type { Config } from "../config.ts";
import { type Sealer, sharedSecret } from "../db/secrets.ts";
import { forgetLateAnswers } from "../events/erased.ts";
import { maxBatchMs } from "../events/webhooks/worker/batches.ts";
import { maxSpeechMs } from "../speech/bounded-speaker.ts";
import { forgetUnusedSpeech } from "../speech/speech-store.ts";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";
import { type Eraser, type EraserDeps, finishedAt, makeEraser } from "./eraser.ts";
import { type Journal, openJournal } from "./erasure-journal.ts";
import { eraseNamedDonators, erasuresOf, unfinishedOf } from "./named-erasures.ts";
import { makeRetention, type Retention } from "./retention.ts";

export type Erasures = EraserDeps & Readonly<{ eraser: Eraser; retention: Retention; journal: Journal }>;

type OpenErasuresDeps = {
  knex: Knex;
  config: Pick<Config, "erasureJournal">;
  sealer: Sealer;
  /** Called after each commit that erased something. Must not throw. */
  announce?: (streamerId: string) => void;
};

export async function openErasures({ knex, config, sealer, announce = () => {} }: OpenErasuresDeps): Promise<Erasures> {
  const journal = openJournal(config.erasureJournal);
  await journal.requireWritable();
  const deps = { knex, journal, secret: await sharedSecret(knex, "erasures", sealer), announce };
  return { ...deps, eraser: makeEraser(deps), retention: makeRetention(deps) };
}

type ErasureTaskDeps = Erasures & {
  log: Logger;
  /** Drops answers about this streamer from the cache of the process. */
  forgetCached: (streamerId: string) => void;
};

const followMs = 5_000;
const ageMs = 3_600_000;
/** An erasure that has not gone on for so long was interrupted; two processes that continue the same one do no harm. */
const interruptedSeconds = 120;
/** What came may wait for the database before it is written, and clocks differ. */
const marginMs = 30_000;
/** How long after an erasure the speech and the requests to receivers that were under way may still bring something. */
const lateMs = Math.max(maxSpeechMs, maxBatchMs);

export function startErasureTasks(deps: ErasureTaskDeps): IntervalTask {
  const { knex, log, retention, forgetCached } = deps;
  let seen: Seen = { at: new Date().toISOString(), ids: new Set() };
  const tasks = [
    startIntervalTask({ pauseMs: followMs, log, failureMessage: "can't look for erasures of other processes" }, async () => {
      seen = await forgetInMemory(knex, forgetCached, seen);
    }),
    startIntervalTask({ pauseMs: followMs, log, failureMessage: "can't finish erasures" }, () => continueInterrupted(deps)),
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
export async function continueInterrupted(deps: Erasures, seconds = interruptedSeconds): Promise<void> {
  const { knex, journal } = deps;
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select id from erasures where finished_at is null and swept_at is null and began_at < clock_timestamp() - ? * interval '1 second'`,
    [seconds],
  );
  if (rows.length === 0) return;
  const ids = new Set(rows.map(({ id }) => id));
  const entries = await journal.read();
  const interrupted = unfinishedOf(entries).filter(({ id }) => ids.has(id));
  await eraseNamedDonators(deps, interrupted);
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
