// Folds donations into the roll-ups, a batch per transaction; the worker that does so for every streamer.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { invalidateAnswers } from "../../db/answer-cache.ts";
import { placed } from "../../db/citus/layout.ts";
import { callsOf } from "../../db/citus/node-functions.ts";
import { preparedQuery } from "../../db/prepared-query.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { minScanPauseMs, scanPauseMs } from "../../telemetry/interval-task.ts";
import { foldFunction, foldSettings, foldStatement } from "./fold-statements.ts";

/** `done`: no donation is left to fold, or another process folds this streamer. */
type Folded = Readonly<{ donations: number; done: boolean }>;

// Prepared: planning it takes 4 ms of the processor, as much as folding twenty donations.
const prepared = { name: "fold", text: foldStatement };
const foldOnNode = callsOf(foldFunction);
const maxBatch = 10_000;

const settings = Object.entries({ ...foldSettings, plan_cache_mode: "force_generic_plan" })
  .map(([name, value]) => `set local ${name} = '${value}'`)
  .join("; ");

// Not report_donators: the keys of an erased donator have their number there, and nowhere else is known that they are one.
const rollUps = ["report_sums", "report_donator_sums", "report_donator_counts", "report_classes", "report_amounts"];

/** Folds the streamer's next donations, in the order of their sequence. Safe in any number of processes at once. */
export async function foldNext(knex: Knex, streamerId: string, limit = maxBatch): Promise<Folded> {
  const donations = await foldBatch(knex, streamerId, limit);
  return { donations, done: donations < limit };
}

/** Resolves to the number of donations that were folded; 0 also when another process folds them. */
const foldBatch = placed({
  onServer: (knex, streamerId: string, limit: number): Promise<number> =>
    knex.transaction(async (transaction) => {
      await transaction.raw(settings);
      const progress = await lockProgress(transaction, streamerId);
      if (!progress) return 0;
      // A separate statement, because its snapshot must be taken while the lock is held.
      const values = [streamerId, progress.rolled_sequence, limit, progress.donators];
      const [folded] = await preparedQuery<{ donations: number }>(transaction, prepared, values);
      return folded?.donations ?? 0;
    }),
  onNodes: async (knex, streamerId: string, limit: number) => {
    const { values = [], ...statement } = await foldOnNode(knex, [streamerId, limit]);
    const [folded] = await preparedQuery<{ donations: number }>(knex, statement as { name: string; text: string }, values);
    return folded?.donations ?? 0;
  },
});

/** Deletes the streamer's roll-ups and computes them again. Reports are exact meanwhile, but slower. */
export async function rebuildReports(knex: Knex, streamerId: string): Promise<{ donations: number }> {
  await knex.transaction(async (transaction) => {
    await transaction.raw("set local statement_timeout = 0");
    await transaction.raw("insert into report_progress (streamer_id) values (?) on conflict do nothing", [streamerId]);
    await transaction.raw("select from report_progress where streamer_id = ? for update", [streamerId]);
    for (const table of rollUps) await transaction(table).where("streamer_id", streamerId).delete();
    await transaction("report_progress").where("streamer_id", streamerId).update({ rolled_sequence: 0 });
    await invalidateAnswers(transaction, streamerId); // last: it locks the row that donations wait for
  });
  return foldAll(knex, streamerId);
}

/** Folds until no donation is left. */
export async function foldAll(knex: Knex, streamerId: string): Promise<{ donations: number }> {
  let donations = 0;
  for (let done = false; !done; ) {
    const folded = await foldNext(knex, streamerId);
    donations += folded.donations;
    done = folded.done;
  }
  return { donations };
}

const maxFound = 1_000;

/** Streamers with donations that are not folded yet, in a random order: none whose turn fails keeps others from theirs. */
export async function findBehind(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select s.id from streamers s left join report_progress p on p.streamer_id = s.id
     where s.last_sequence > coalesce(p.rolled_sequence, 0) order by random() limit ${maxFound}`,
  );
  return rows.map(({ id }) => id);
}

type Progress = { rolled_sequence: number; donators: number };

/** Locks the progress row of the streamer; null when another process has locked it. */
async function lockProgress(transaction: Knex.Transaction, streamerId: string): Promise<Progress | null> {
  const select = "select rolled_sequence, donators from report_progress where streamer_id = ? for update skip locked";
  const locked = await transaction.raw<{ rows: Progress[] }>(select, [streamerId]);
  if (locked.rows[0]) return locked.rows[0];
  await transaction.raw("insert into report_progress (streamer_id) values (?) on conflict do nothing", [streamerId]);
  return (await transaction.raw<{ rows: Progress[] }>(select, [streamerId])).rows[0] ?? null;
}

type RollupWorker = {
  /** Call it when donations of this streamer have been recorded. */
  wake: (streamerId: string, donations: number) => void;
  /** Resolves when the batch under way is done. */
  stop: () => Promise<void>;
};

type WorkerState = {
  readonly knex: Knex;
  readonly log: Logger;
  /** Streamers with new donations, and how many. */
  readonly waiting: Map<string, number>;
  /** Streamers that are folded without a pause. */
  readonly urgent: Set<string>;
  isStopped: boolean;
  /** From the beginning of a round, which folds all that wait, to the next one. */
  roundMs: number;
  endPause: () => void;
};

/** How often it looks whether a round is due. */
const pauseMs = 500;
/** A round begins after so many times as long as the one before it took: recording has priority, and a larger batch costs less in all. */
const roundFactor = 10;
/**
 * A report adds what is not folded itself: 15 ms of the processor for a thousand donations. On nodes a fold of few donations costs ten times as
 * much: Citus plans each of its statements anew.
 */
const maxRoundMs = placed({ onServer: () => 2_000, onNodes: () => 60_000 });
/** A streamer with this many new donations is folded without a pause. */
const urgentCount = 5_000;

/**
 * Runs in every process; locks divide the streamers among them. A process is woken for its own donations. A scan finds those of other processes,
 * and those whose fold failed.
 */
export function rollupWorker({ knex, log }: { knex: Knex; log: Logger }): RollupWorker {
  const state: WorkerState = { knex, log, waiting: new Map(), urgent: new Set(), isStopped: false, roundMs: pauseMs, endPause: () => {} };
  const running = run(state);
  return {
    wake: (streamerId, donations) => noteDonations(state, streamerId, donations),
    stop: async () => {
      state.isStopped = true;
      state.endPause();
      await running;
    },
  };
}

function noteDonations({ waiting, urgent, endPause }: WorkerState, streamerId: string, donations: number): void {
  const count = (waiting.get(streamerId) ?? 0) + donations;
  waiting.set(streamerId, count);
  if (count < urgentCount || urgent.has(streamerId)) return;
  urgent.add(streamerId);
  endPause();
}

async function run(state: WorkerState): Promise<void> {
  const { knex, log, waiting, urgent } = state;
  let scanAt = Number.NEGATIVE_INFINITY;
  let foldedAllAt = Number.NEGATIVE_INFINITY;
  const maxRound = maxRoundMs(knex);
  while (!state.isStopped) {
    try {
      const scanned = performance.now();
      if (scanned >= scanAt) {
        scanAt = scanned + minScanPauseMs; // also when it fails
        const behind = await findBehind(knex);
        scanAt = scanned + scanPauseMs(performance.now() - scanned, behind.length === maxFound);
        for (const streamerId of behind) if (!waiting.has(streamerId)) waiting.set(streamerId, 0);
      }
      const begun = performance.now();
      const isRound = begun - foldedAllAt >= state.roundMs;
      if (isRound) foldedAllAt = begun;
      const streamerIds = isRound ? new Set([...waiting.keys(), ...urgent]) : [...urgent];
      for (const streamerId of streamerIds) if (!state.isStopped) await fold(state, streamerId);
      if (isRound) state.roundMs = Math.min(maxRound, Math.max(pauseMs, roundFactor * (performance.now() - begun)));
    } catch (error) {
      logFailure(log, error);
    }
    if (urgent.size === 0 && !state.isStopped) await pause(state);
  }
}

async function fold({ knex, log, waiting, urgent }: WorkerState, streamerId: string): Promise<void> {
  waiting.delete(streamerId);
  urgent.delete(streamerId);
  try {
    if (!(await foldNext(knex, streamerId)).done) urgent.add(streamerId);
  } catch (error) {
    logFailure(log, error); // the next scan finds the streamer again
  }
}

async function pause(state: WorkerState): Promise<void> {
  const ending = new AbortController();
  state.endPause = () => ending.abort();
  await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => {});
}

function logFailure(log: Logger, error: unknown): void {
  log.error({ error: describeFailure(error) }, "donations could not be folded into the roll-ups");
}
