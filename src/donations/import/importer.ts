// Records donations of imports in chunks, one chunk at a time, so that those posted singly are recorded first.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import pLimit from "p-limit";
import type { Logger } from "pino";
import { Problem } from "../../http/problem.ts";
import { type Attempt, type Entry, makeAttempt, type Recorded } from "../attempt.ts";
import type { NewDonation } from "../donation.ts";
import { KeyConflict } from "../key-conflict.ts";
import type { Writer } from "../writer.ts";
import { insertImported } from "./record-import.ts";

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

export type ImporterDeps = {
  /** Has a short lock time-out and at least two connections: one that records, and one for looking up what it did. */
  pool: Knex;
  log: Logger;
  /** Called once for each chunk that recorded anything, after its commit. Must not throw. */
  announce?: (streamerId: string) => void;
  /** The writer of donations that are posted singly. */
  live?: Pick<Writer, "idle" | "sinceLast">;
};

/** Donations of a chunk. Its statement holds the streamer's lock, and a single donation waits for it: with such ones a chunk is short. */
const chunkRows = { alone: 200, besideLive: 40 };
/** Single donations that came within this time are taken to go on. */
const liveMs = 1_000;
/** Beside single donations a pause is so many times as long as the chunk before it took. */
const pauseFactor = 2;
/** A chunk waits at most this long for donations that are posted singly, so that an import goes on beside any load. */
const maxYieldMs = 100;
const lockedRetryMs = 100;
const lockedTimeoutMs = 2_000;

export function makeImporter({ pool, log, announce = () => {}, live = noLive }: ImporterDeps): Importer {
  const inTurn = pLimit(1);
  const underWay = new Set<Promise<unknown>>();
  const recordChunk = async (importId: string, donations: readonly NewDonation[]): Promise<Outcome[]> => {
    await Promise.race([live.idle(), sleep(maxYieldMs, undefined, { ref: false })]);
    const begun = performance.now();
    const attempt = makeAttempt(pool, log, (chunk) => insertImported(pool, importId, chunk));
    const outcomes = await recordEntries(attempt, donations);
    if (outcomes.some((outcome) => outcome.status === "fulfilled" && outcome.value.created)) announce(donations[0]?.streamerId as string);
    if (live.sinceLast() < liveMs) await sleep(Math.min(maxYieldMs, pauseFactor * (performance.now() - begun)));
    return outcomes;
  };
  const record = async (importId: string, donations: readonly NewDonation[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    while (outcomes.length < donations.length) {
      const rows = live.sinceLast() < liveMs ? chunkRows.besideLive : chunkRows.alone;
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
    // All wait for one lock, that of the streamer: who holds a key holds it as well. So a locked chunk is tried again as a whole.
    let left = (await attempt(entries, false)) ?? entries;
    while (left.length > 0 && performance.now() - since < lockedTimeoutMs) {
      await sleep(lockedRetryMs);
      left = (await attempt(left, false)) ?? left;
    }
    for (const { reject } of left)
      reject(new KeyConflict("idempotency_in_progress", "A donation with this idempotencyKey is being recorded."));
  } catch (cause) {
    const failure = cause instanceof Problem ? cause : new Problem("internal_error", "Something went wrong on our side.", { cause });
    for (const { reject } of entries) reject(failure);
  }
  return settled;
}
