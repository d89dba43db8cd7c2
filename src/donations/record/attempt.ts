// One attempt to record a batch: sends the statement, then resolves or rejects each donation on its own.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import pLimit from "p-limit";
import type { Logger } from "pino";
import { resultWithin } from "../../base/async.ts";
import { placed } from "../../db/citus/layout.ts";
import { isLockConflict, isUnavailable } from "../../db/failures.ts";
import { type OwnCode, Problem } from "../../http/problem.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { isSameDonation } from "../columns.ts";
import { justStored, type NewDonation, type StoredDonation } from "../donation.ts";
import { type BatchRow, insertBatch, LostConnection } from "./batch.ts";
import { type FoundDonation, fenceBatch, findRecorded } from "./find-recorded.ts";

type KeyConflictCode = Extract<OwnCode, `idempotency_${string}`>;

/** Nothing was recorded for this request. */
export class KeyConflict extends Error {
  readonly code: KeyConflictCode;

  constructor(code: KeyConflictCode, detail: string) {
    super(detail);
    this.name = "KeyConflict";
    this.code = code;
  }
}

export function keyReused(): KeyConflict {
  return new KeyConflict("idempotency_key_reused", "This idempotencyKey already belongs to another donation.");
}

export function keyInProgress(): KeyConflict {
  return new KeyConflict("idempotency_in_progress", "A donation with this idempotencyKey is being recorded.");
}

/** A donation that is locked by another transaction is tried again after a pause, until it has waited for `timeoutMs`. */
export const lockedRetry = { pauseMs: 100, timeoutMs: 2_000 };

/** `created` is false when this donation had been recorded before under the same idempotency key. */
export type Recorded = Readonly<{ created: boolean; donation: StoredDonation }>;

/** A donation whose caller waits for the answer. `since`: when it arrived, by `performance.now()`. */
export type Entry = { donation: NewDonation; resolve: (recorded: Recorded) => void; reject: (error: unknown) => void; since: number };

/**
 * Records the donations that it can, and answers those. Returns the entries whose streamer another transaction has locked
 * (only with `skipLocked`), or null when a lock stopped the whole attempt and nothing was recorded.
 */
export type Attempt = (entries: Entry[], skipLocked: boolean) => Promise<Entry[] | null>;

/** Sends a recording statement. Throws as `insertBatch`. */
export type Insert = (donations: readonly NewDonation[], skipLocked: boolean) => Promise<BatchRow[]>;

type Group = [Entry, ...Entry[]];

type AttemptState = {
  readonly pool: Knex;
  readonly log: Logger;
  readonly insert: Insert;
  readonly outage: Outage;
};

/** `isDoubtful`: the database did not answer last time. */
type Outage = { isDoubtful: boolean };

/** A caller is answered within 5 s, so the lookup after a lost connection ends this long after the batch was sent. */
const outcomeTimeoutMs = 4_500;
/** Of one attempt: others leave connections for the streamers of other nodes. */
const maxStreamersAtOnce = 2;
const pingTimeoutMs = 1_000;
const lookupPauseMs = 200;

/**
 * Returns the function that makes attempts with a statement. All of them know whether the database answered last time. `insert`: the statement,
 * when it is another than that of single donations.
 */
export function attemptsOn(pool: Knex, log: Logger): (insert?: Insert) => Attempt {
  const outage: Outage = { isDoubtful: false };
  return (insert = (...args) => insertBatch(pool, ...args)) => {
    const state: AttemptState = { pool, log, insert, outage };
    return attemptOn(pool, (entries, skipLocked) => attemptBatch(state, entries, skipLocked));
  };
}

/** A node records its own streamers alone, so that no streamer waits for a node that is away. A lock stops the attempt of one streamer. */
const attemptOn = placed({ onServer: (_, attempt: Attempt) => attempt, onNodes: (_, attempt: Attempt) => byStreamer(attempt) });

function byStreamer(attempt: Attempt): Attempt {
  return async (entries, skipLocked) => {
    const streamers = Map.groupBy(entries, ({ donation }) => donation.streamerId);
    const limit = pLimit(maxStreamersAtOnce);
    const stillLocked = await limit.map([...streamers.values()], async (own) => (await attempt(own, skipLocked)) ?? own);
    return stillLocked.flat();
  };
}

/** Skips locked streamers, and finds a locked key (a row that another transaction has not committed) by halving. Returns the locked entries. */
export async function recordHalves(attempt: Attempt, entries: Entry[]): Promise<Entry[]> {
  const stillLocked = await attempt(entries, true);
  if (stillLocked || entries.length === 1) return stillLocked ?? entries;
  const middle = Math.ceil(entries.length / 2);
  return [...(await recordHalves(attempt, entries.slice(0, middle))), ...(await recordHalves(attempt, entries.slice(middle)))];
}

async function attemptBatch(state: AttemptState, entries: Entry[], skipLocked: boolean): Promise<Entry[] | null> {
  const groups = groupByKey(entries);
  const sentAt = performance.now();
  let rows: BatchRow[];
  try {
    // A statement that is not sent is surely not recorded: after an outage a batch first waits until the database answers.
    if (state.outage.isDoubtful) await withTimeout(pingTimeoutMs, state.pool.raw("select 1"));
    rows = await state.insert(leadersOf(groups), skipLocked);
    state.outage.isDoubtful = false;
  } catch (error) {
    if (isConflict(error)) return null;
    state.outage.isDoubtful = error instanceof LostConnection || isUnavailable(error);
    if (error instanceof LostConnection) return answerAfterLoss(state, groups, error, sentAt + outcomeTimeoutMs);
    return handleFailure(state, error, entries, skipLocked);
  }
  return answerRecorded(state, groups, rows);
}

async function handleFailure(state: AttemptState, error: unknown, entries: Entry[], skipLocked: boolean): Promise<Entry[]> {
  if (isUnavailable(error) || isCancelled(error)) return rejectAll(entries, notRecorded(error));
  if (entries.length === 1 || error instanceof Problem) return rejectAll(entries, error);
  // One row fails in a way that validation did not foresee. The halves are tried separately, so that it fails alone.
  state.log.error({ error: describeFailure(error), rows: entries.length }, "a batch of donations failed; its halves are tried separately");
  const middle = Math.ceil(entries.length / 2);
  const halves = [entries.slice(0, middle), entries.slice(middle)];
  const stillLocked: Entry[] = [];
  for (const half of halves) stillLocked.push(...((await attemptBatch(state, half, skipLocked)) ?? half));
  return stillLocked;
}

/** Answers the stored donations first, because they are recorded whatever happens later; then looks the repeated keys up. */
async function answerRecorded({ pool }: AttemptState, groups: Group[], rows: BatchRow[]): Promise<Entry[]> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const stillLocked: Entry[] = [];
  const repeated: Group[] = [];
  for (const group of groups) {
    const { donation } = group[0];
    const row = byId.get(donation.id);
    if (!row) repeated.push(group);
    else if (row.sequence === null) stillLocked.push(...group);
    else answerGroup(group, justStored(donation, row.received_at, row.sequence));
  }
  if (repeated.length > 0) await answerRepeated(repeated, () => findRecorded(pool, leadersOf(repeated)));
  return stillLocked;
}

/** The answer to the commit was lost: fences the batch, then looks the ids and keys up before any entry is answered. */
async function answerAfterLoss({ pool, log }: AttemptState, groups: Group[], loss: LostConnection, deadline: number): Promise<Entry[]> {
  log.error({ error: describeFailure(loss.cause) }, loss.message);
  await answerRepeated(groups, () => lookUpOutcome(pool, leadersOf(groups), deadline));
  return [];
}

/** Tries again until the deadline (by `performance.now()`); then throws internal_error, because the outcome stays unknown. */
async function lookUpOutcome(pool: Knex, leaders: NewDonation[], deadline: number): Promise<FoundDonation[]> {
  let isFenced = false;
  const lookUp = async () => {
    if (!isFenced) await fenceBatch(pool, leaders);
    isFenced = true;
    return findRecorded(pool, leaders);
  };
  for (;;) {
    const leftMs = deadline - performance.now();
    try {
      return await withTimeout(leftMs, lookUp());
    } catch (cause) {
      if (leftMs < lookupPauseMs)
        throw new Problem("internal_error", "The outcome is unknown. Retry with the same idempotencyKey.", { cause });
      await sleep(lookupPauseMs);
    }
  }
}

/** Answers each group with the stored donation that has its id or its key; a group without one was not recorded. */
async function answerRepeated(groups: Group[], find: () => Promise<FoundDonation[]>): Promise<void> {
  try {
    const recorded = await find();
    for (const group of groups) {
      const stored = recorded.find((donation) => hasIdOrKeyOf(group[0].donation, donation));
      if (stored) answerGroup(group, stored);
      else rejectAll(group, notRecorded(null));
    }
  } catch (error) {
    rejectAll(groups.flat(), isUnavailable(error) ? notRecorded(error) : error);
  }
}

function answerGroup(group: Group, stored: StoredDonation): void {
  for (const { donation, resolve, reject } of group) {
    if (stored.id === donation.id) resolve({ created: true, donation: stored });
    else if (isSameDonation(donation, stored)) resolve({ created: false, donation: stored });
    else reject(keyReused());
  }
}

function rejectAll(entries: Entry[], error: unknown): Entry[] {
  for (const { reject } of entries) reject(error);
  return [];
}

/** Entries with the same key form a group; only its first entry, the leader, is sent. An entry without a key is a group of its own. */
function groupByKey(entries: Entry[]): Group[] {
  const groups = new Map<string, Group>();
  for (const entry of entries) {
    const { streamerId, applicationId, idempotencyKey, id } = entry.donation;
    const name = idempotencyKey === null ? id : `${streamerId}/${applicationId}/${idempotencyKey}`;
    const group = groups.get(name);
    if (group) group.push(entry);
    else groups.set(name, [entry]);
  }
  return [...groups.values()];
}

function leadersOf(groups: Group[]): NewDonation[] {
  return groups.map(([leader]) => leader.donation);
}

function hasIdOrKeyOf(donation: NewDonation, stored: FoundDonation): boolean {
  const { streamerId, id, applicationId, idempotencyKey } = donation;
  if (stored.streamerId !== streamerId) return false;
  if (stored.id === id) return true;
  return idempotencyKey !== null && (stored.idempotencyKey ?? stored.askedKey) === idempotencyKey && stored.applicationId === applicationId;
}

/** Rejects with ETIMEDOUT, as an unreachable database does, when the promise takes longer than `ms`. */
async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  const answer = await resultWithin(Math.max(0, ms), promise);
  if (answer === null) throw Object.assign(new Error(`no answer within ${Math.round(ms)} ms`), { code: "ETIMEDOUT" });
  return answer;
}

function notRecorded(cause: unknown): Problem {
  return new Problem("unavailable", "The database can't be reached; nothing was recorded.", { cause });
}

/** Another transaction was in the way and nothing was recorded: the same donations, with their ids, are tried again. */
function isConflict(error: unknown): boolean {
  const isSerializationFailure = (error as { code?: unknown }).code === "40001"; // of engines and roles with another isolation level
  return isLockConflict(error) || isSerializationFailure;
}

function isCancelled(error: unknown): boolean {
  return (error as { code?: unknown }).code === "57014"; // statement_timeout
}
