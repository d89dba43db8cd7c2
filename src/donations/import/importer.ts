// Records donations of imports in chunks, one chunk at a time, so that those posted singly are recorded first.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import pLimit from "p-limit";
import type { QueryConfig } from "pg";
import type { Logger } from "pino";
import { placed } from "../../db/citus/layout.ts";
import { callsOf } from "../../db/citus/node-functions.ts";
import { internalError, Problem, problemOf, refusal } from "../../http/problem.ts";
import type { NewDonation } from "../donation.ts";
import { type Attempt, attemptsOn, type Entry, keyInProgress, lockedRetry, type Recorded } from "../record/attempt.ts";
import { type BatchRow, sendBatch, valuesOfOne } from "../record/batch.ts";
import { recordOne, recordOneOnNode } from "../record/record-statements.ts";
import type { Writer } from "../record/writer.ts";

export type Outcome = PromiseSettledResult<Recorded>;

export type Importer = {
  /**
   * Records donations of one streamer. Answers each, in their order, after the commit: how it was recorded, or a KeyConflict or Problem.
   * Never rejects.
   */
  record: (importId: string, donations: readonly NewDonation[]) => Promise<Outcome[]>;
  /** Resolves when every donation passed to `record` so far is answered. */
  drain: () => Promise<void>;
};

type ImporterDeps = {
  /** Has a short lock time-out and at least two connections: one that records, and one for looking up what it did. */
  pool: Knex;
  log: Logger;
  /** Called once for each chunk that recorded anything, after its commit, with the number of its donations. Must not throw. */
  announce?: (streamerId: string, donations: number) => void;
  /** The writer of donations that are posted singly. */
  live?: Pick<Writer, "idle" | "sinceLast">;
};

/**
 * Donations of a chunk. Its statement holds the streamer's lock, and a single donation waits for it: beside such ones a chunk takes little
 * longer than one of them.
 */
const chunkRows = { alone: 200, besideLive: 20 };
/** Single donations that came within this time are taken to go on. */
const liveMs = 10_000;
/**
 * Beside single donations a pause is so many times as long as the chunk before it took. What follows a chunk, above all folding it into the
 * roll-ups, costs the database three times as much as recording it, so the import has about a third of one processor.
 */
const pauseFactor = 8;
/** An import goes on beside any load: it pauses no longer than this, and waits no longer than `maxYieldMs` for single donations under way. */
const maxPauseMs = 250;
const maxYieldMs = 100;

export function makeImporter({ pool, log, announce = () => {}, live = noLive }: ImporterDeps): Importer {
  const inTurn = pLimit(1);
  const attemptBy = attemptsOn(pool, log);
  const others = watchOthers();
  const isBesideLive = () => Math.min(live.sinceLast(), others.sinceLast()) < liveMs;
  const underWay = new Set<Promise<unknown>>();
  const recordChunk = async (importId: string, donations: readonly NewDonation[]): Promise<Outcome[]> => {
    await Promise.race([live.idle(), sleep(maxYieldMs, undefined, { ref: false })]);
    const begun = performance.now();
    const attempt = attemptBy((chunk) => insertImported(pool, importId, chunk));
    const outcomes = await recordEntries(attempt, donations);
    const created = outcomes.filter(isCreated).length;
    if (created > 0) announce(donations[0]?.streamerId as string, created);
    others.note(outcomes);
    if (isBesideLive()) await sleep(Math.min(maxPauseMs, pauseFactor * (performance.now() - begun)));
    return outcomes;
  };
  const record = async (importId: string, donations: readonly NewDonation[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    while (outcomes.length < donations.length) {
      const rows = isBesideLive() ? chunkRows.besideLive : chunkRows.alone;
      const chunk = donations.slice(outcomes.length, outcomes.length + rows);
      outcomes.push(...(await inTurn(() => recordChunk(importId, chunk))));
    }
    return outcomes;
  };
  return {
    record: (importId, donations) => {
      const recording = record(importId, donations);
      underWay.add(recording);
      return recording.finally(() => underWay.delete(recording));
    },
    drain: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/**
 * Notices donations that other processes record for the streamer of an import, and events: they take numbers of the streamer's counter between
 * two chunks.
 */
function watchOthers() {
  let lastAt = Number.NEGATIVE_INFINITY;
  /** Of the chunk before: its streamer, and the number that the next chunk begins after when nobody else takes one. */
  let before: { streamerId: string; sequence: number } | null = null;
  return {
    sinceLast: () => performance.now() - lastAt,
    note: (outcomes: readonly Outcome[]) => {
      const place = outcomes.findIndex(isCreated);
      const first = outcomes[place];
      if (!first || !isCreated(first)) {
        before = null;
        return;
      }
      const { streamerId, sequence } = first.value.donation;
      const begin = sequence - place - 1;
      if (before?.streamerId === streamerId && begin > before.sequence) lastAt = performance.now();
      before = { streamerId, sequence: begin + outcomes.length };
    },
  };
}

function isCreated(outcome: Outcome): outcome is PromiseFulfilledResult<Recorded> {
  return outcome.status === "fulfilled" && outcome.value.created;
}

const noLive = { idle: async () => {}, sinceLast: () => Number.POSITIVE_INFINITY };

/** Tries until every donation is recorded or refused. A locked streamer or key is tried for two seconds. */
async function recordEntries(attempt: Attempt, donations: readonly NewDonation[]): Promise<Outcome[]> {
  const entries: Entry[] = [];
  const since = performance.now();
  const answers = donations.map(
    (donation) => new Promise<Recorded>((resolve, reject) => entries.push({ donation, resolve, reject, since })),
  );
  const settled = Promise.allSettled(answers);
  try {
    // All wait for one lock, that of the streamer: a transaction that holds a key holds it as well. So a locked chunk is tried again as a whole.
    let left = (await attempt(entries, false)) ?? entries;
    while (left.length > 0 && performance.now() - since < lockedRetry.timeoutMs) {
      await sleep(lockedRetry.pauseMs);
      left = (await attempt(left, false)) ?? left;
    }
    for (const { reject } of left) reject(keyInProgress());
  } catch (cause) {
    const failure = cause instanceof Problem ? cause : internalError(cause);
    for (const { reject } of entries) reject(failure);
  }
  return settled;
}

const recordChunk = { name: "record-import", text: recordOne(true) };
const chunkStatement = placed({
  onServer: async (_, values: unknown[]): Promise<QueryConfig> => ({ ...recordChunk, values }),
  onNodes: callsOf(recordOneOnNode(true)),
});

/** Nothing is added to an import that the streamer has undone. */
export const importUndone = refusal("import_undone", "The streamer has undone this import.");

/** Records donations of one streamer for the import. Throws as `insertBatch`, or the problem import_undone. */
export async function insertImported(pool: Knex, importId: string, donations: readonly NewDonation[]): Promise<BatchRow[]> {
  const rows = await sendBatch(pool, await chunkStatement(pool, [...valuesOfOne(donations), importId]));
  if (rows.some(({ id }) => id === null)) throw problemOf(importUndone);
  return rows;
}
