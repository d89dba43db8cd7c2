// Gathers concurrent donations into multi-row transactions and answers each donation after the commit.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { type FairQueue, fairQueue } from "../../base/fair-queue.ts";
import { findNodes, type NodeOf, placed } from "../../db/citus/layout.ts";
import { Problem } from "../../http/problem.ts";
import type { NewDonation, StoredDonation } from "../donation.ts";
import { type Attempt, attemptsOn, type Entry, type Insert, keyInProgress, lockedRetry, type Recorded, recordHalves } from "./attempt.ts";
import { type LockedEntries, lockedEntries } from "./locked-entries.ts";

export type Writer = {
  /** Resolves after commit. Rejects with a KeyConflict, or a Problem: unavailable or internal_error. */
  record: (donation: NewDonation) => Promise<Recorded>;
  /** Resolves when every donation passed to `record` so far is answered. */
  drain: () => Promise<void>;
  /** Resolves when no donation waits to be recorded or is being recorded. */
  idle: () => Promise<void>;
  /** Milliseconds since the last donation was passed to `record`; Infinity when there was none. */
  sinceLast: () => number;
};

type WriterDeps = {
  /** Has a short lock time-out and at least three connections: one for each loop, and one for looking up what they did. */
  pool: Knex;
  log: Logger;
  /** Called with each donation that was recorded anew, after its commit. Must not throw. */
  announce?: (donation: StoredDonation) => void;
  /** Called with the number of donations that are tried together. */
  onBatch?: (rows: number) => void;
  /** The statement, when it is another than that of single donations. */
  insert?: Insert | undefined;
};

type WriterState = {
  readonly announce: (donation: StoredDonation) => void;
  readonly onBatch: (rows: number) => void;
  readonly attempt: Attempt;
  /** Takes the donations of the next batch. */
  readonly takeBatch: TakeBatch;
  /** By streamer. */
  readonly waiting: FairQueue<Entry>;
  readonly locked: LockedEntries;
  writing: Promise<void> | null;
  retrying: Promise<void> | null;
  /** When the last donation arrived, by `performance.now()`. */
  lastAt: number;
};

/**
 * Of each node: as many statements of it are under way at a time. A node that answers nothing takes no more of the pool's connections, and a
 * slow one answers each before it is given up, whatever is waiting. A statement of 5 ms makes 1,200 a second.
 */
const writersPerNode = 6;
const maxBatch = 256;
const maxWaiting = 10_000;
/** A donation is rejected at once when the one before it has waited for longer: the streamer's own, or the one whose turn is next. */
const maxAgeMs = 1_000;
/** A donation that has waited for longer is rejected unsent: the batch before it may hang in a database that has stopped. */
const waitingTimeoutMs = 1_500;
const timeoutCheckMs = 250;

type TakeBatch = (waiting: FairQueue<Entry>) => Entry[];

export const makeWriter = (deps: WriterDeps): Writer => writerOn(deps.pool, deps);

/**
 * On nodes, the streamers of each one have loops of their own, and a batch has the donations of one streamer: those of others wait unsent
 * meanwhile, and can be rejected as not recorded.
 */
const writerOn = placed({
  onServer: (_, deps: WriterDeps) => makeOneWriter(deps, (waiting) => waiting.take(maxBatch)),
  onNodes: (pool, deps: WriterDeps) =>
    poolWriters(findNodes(pool), writersPerNode, () => makeOneWriter(deps, (waiting) => waiting.takeOfOne(maxBatch))),
});

function makeOneWriter({ pool, log, announce = () => {}, onBatch = () => {}, insert }: WriterDeps, takeBatch: TakeBatch): Writer {
  const attempt = attemptsOn(pool, log)(insert);
  const state: WriterState = {
    attempt,
    announce,
    onBatch,
    takeBatch,
    waiting: fairQueue(),
    locked: lockedEntries(),
    writing: null,
    retrying: null,
    lastAt: Number.NEGATIVE_INFINITY,
  };
  return {
    record: (donation) => new Promise((resolve, reject) => enqueue(state, newEntry(state, donation, resolve, reject))),
    drain: async () => {
      while (state.writing || state.retrying) await Promise.all([state.writing, state.retrying]);
    },
    sinceLast: () => performance.now() - state.lastAt,
    idle: async () => {
      while (state.writing) await state.writing;
    },
  };
}

function newEntry({ announce }: WriterState, donation: NewDonation, resolve: Entry["resolve"], reject: Entry["reject"]): Entry {
  const announceAndResolve = (recorded: Recorded) => {
    if (recorded.created) announce(recorded.donation);
    resolve(recorded);
  };
  return { donation, resolve: announceAndResolve, reject, since: performance.now() };
}

/** All donations of a locked streamer wait with its locked ones, so that the write loop does not run into the same lock again. */
function enqueue(state: WriterState, entry: Entry): void {
  const { waiting, locked } = state;
  state.lastAt = entry.since;
  const { streamerId } = entry.donation;
  const oldestLocked = locked.oldest(streamerId);
  const before = (oldestLocked ?? waiting.oldest(streamerId))?.since ?? waiting.turnSince();
  const isFull = waiting.size() + locked.size() >= maxWaiting;
  const hasWaitedLong = before !== undefined && entry.since - before > maxAgeMs;
  if (isFull || hasWaitedLong) entry.reject(tooManyWaiting());
  else if (oldestLocked) retryLater(state, [entry]);
  else {
    waiting.add(streamerId, entry);
    state.writing ??= writeWaiting(state);
  }
}

/** The write loop: records batches until no donation waits. */
async function writeWaiting(state: WriterState): Promise<void> {
  const { attempt, onBatch, waiting, takeBatch } = state;
  const checking = setInterval(() => rejectTimedOut(waiting), timeoutCheckMs);
  await nextTurn(); // donations that arrive in this turn of the event loop join the first batch
  while (waiting.size() > 0) {
    const batch = takeBatch(waiting);
    onBatch(batch.length);
    // The first attempt waits for locks, the second skips locked streamers. Donations that are locked even then are retried later.
    await rejectOnFailure(batch, async () => retryLater(state, (await attempt(batch, false)) ?? (await attempt(batch, true)) ?? batch));
  }
  clearInterval(checking);
  state.writing = null; // in the same turn as the check above: a donation that comes later starts the loop again
}

function rejectTimedOut(waiting: FairQueue<Entry>): void {
  const oldest = performance.now() - waitingTimeoutMs;
  for (const entry of waiting.removeWhile(({ since }) => since < oldest)) entry.reject(tooManyWaiting());
}

function retryLater(state: WriterState, entries: Entry[]): void {
  for (const entry of entries) state.locked.add(entry);
  if (state.locked.size() > 0) state.retrying ??= retryLocked(state);
}

/** The retry loop: tries the donations of locked streamers until they are recorded or rejected. */
async function retryLocked(state: WriterState): Promise<void> {
  const { attempt, locked } = state;
  while (locked.size() > 0) {
    await sleep(lockedRetry.pauseMs);
    const batch = locked.turn(maxBatch);
    const stillLocked = new Set<Entry>();
    await rejectOnFailure(batch, async () => {
      for (const entry of await recordHalves(attempt, batch)) if (!rejectIfExpired(entry)) stillLocked.add(entry);
    });
    for (const entry of batch) if (!stillLocked.has(entry)) locked.delete(entry);
  }
  state.retrying = null;
}

/** Runs a step. When it fails, rejects every entry that it has not answered yet. */
async function rejectOnFailure(entries: Entry[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    for (const entry of entries) entry.reject(error);
  }
}

/** Rejects an entry that has been locked for two seconds: one with a key is being recorded by another process, one without was not recorded. */
function rejectIfExpired({ donation, since, reject }: Entry): boolean {
  if (performance.now() - since < lockedRetry.timeoutMs) return false;
  reject(
    donation.idempotencyKey === null
      ? new Problem("unavailable", "The streamer's donations are locked at the moment; nothing was recorded.")
      : keyInProgress(),
  );
  return true;
}

function tooManyWaiting(): Problem {
  return new Problem("unavailable", "Too much is waiting to be recorded; nothing was recorded.");
}

/** A streamer's donations always go to the same one of `count` writers of its node. */
export function poolWriters(nodeOf: NodeOf, count: number, make: () => Writer): Writer {
  const writers = new Map<string, Writer>();
  const asked = new Set<Promise<unknown>>();
  const writerOf = (node: number | null, streamerId: string): Writer => {
    const name = `${node} ${writerNumberOf(streamerId, count)}`;
    const writer = writers.get(name) ?? make();
    writers.set(name, writer);
    return writer;
  };
  const all = (work: (writer: Writer) => Promise<void>) => async () => {
    while (asked.size > 0) await Promise.all(asked);
    await Promise.all([...writers.values()].map(work));
  };
  return {
    record: async (donation) => {
      const node = nodeOf(donation.streamerId);
      asked.add(node);
      const found = await node;
      asked.delete(node);
      return writerOf(found, donation.streamerId).record(donation);
    },
    drain: all(({ drain }) => drain()),
    idle: all(({ idle }) => idle()),
    sinceLast: () => Math.min(...[...writers.values()].map(({ sinceLast }) => sinceLast())),
  };
}

/** By the last digits of the id, which are random. */
function writerNumberOf(streamerId: string, count: number): number {
  return Number.parseInt(streamerId.slice(-8), 16) % count;
}
