// Folds new donations into the roll-ups soon after they are recorded. A report is exact however far the roll-ups are behind; it only
// costs more then.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isDistributed } from "../../db/citus/distributed.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { findBehind, foldNext } from "./rollup.ts";

export type RollupWorker = {
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
/** A report adds what is not folded itself: 15 ms of the processor for a thousand donations. */
const maxRoundMs = 2_000;
/** Where the database is distributed, a fold of few donations costs ten times as much: Citus plans each of its statements anew. */
const maxRoundMsDistributed = 60_000;
/** A streamer with this many new donations is folded without a pause. */
const urgentCount = 5_000;
const scanMs = 2_000;

/** Runs in every process; locks divide the streamers among them. A scan finds donations of other processes and those whose fold failed. */
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
  let scannedAt = Number.NEGATIVE_INFINITY;
  let foldedAllAt = Number.NEGATIVE_INFINITY;
  const maxRound = isDistributed(knex) ? maxRoundMsDistributed : maxRoundMs;
  while (!state.isStopped) {
    try {
      if (performance.now() - scannedAt >= scanMs) {
        scannedAt = performance.now();
        for (const streamerId of await findBehind(knex)) if (!waiting.has(streamerId)) waiting.set(streamerId, 0);
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
