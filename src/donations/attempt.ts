// One attempt to record a batch: sends the statement, and gives each donation its own answer.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { isUnavailable } from "../db/failures.ts";
import { Problem } from "../http/problem.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type BatchRow, endBackend, findTaken, insertBatch, LostConnection } from "./batch.ts";
import { isSameDonation, justStored, type NewDonation, type StoredDonation } from "./donation.ts";
import { KeyConflict } from "./key-conflict.ts";

/** `created` is false when the idempotency key was already this donation's. */
export type Recorded = Readonly<{ created: boolean; donation: StoredDonation }>;

/** A donation that waits for its answer. */
export type Entry = { donation: NewDonation; resolve: (recorded: Recorded) => void; reject: (error: unknown) => void; since: number };

/**
 * Records what it can and answers it. Returns the entries whose streamer another transaction holds (only with `skipLocked`),
 * or null when the whole attempt met a held lock and nothing was recorded.
 */
export type Attempt = (entries: Entry[], skipLocked: boolean) => Promise<Entry[] | null>;

type Group = [Entry, ...Entry[]];

/** A caller is answered within 5 s, so the look after a lost connection ends this long after the batch was sent. */
const outcomePatienceMs = 4_500;
const pingPatienceMs = 1_000;
const lookAgainMs = 200;

export function makeAttempt(pool: Knex, log: Logger): Attempt {
  /** The database did not answer last time. */
  let doubtful = false;

  const attempt: Attempt = async (entries, skipLocked) => {
    const groups = groupByKey(entries);
    const sentAt = performance.now();
    let rows: BatchRow[];
    try {
      // What is not sent is surely not recorded: after an outage a batch waits for a sign of life first.
      if (doubtful) await within(pingPatienceMs, pool.raw("select 1"));
      rows = await insertBatch(pool, leadersOf(groups), skipLocked);
      doubtful = false;
    } catch (error) {
      if (isHeldLock(error)) return null;
      doubtful = error instanceof LostConnection || isUnavailable(error);
      if (error instanceof LostConnection) return afterLoss(groups, error, sentAt + outcomePatienceMs);
      return afterFailure(error, entries, skipLocked);
    }
    return answer(groups, rows);
  };

  const afterFailure = async (error: unknown, entries: Entry[], skipLocked: boolean): Promise<Entry[]> => {
    if (isUnavailable(error) || isCancelled(error)) return refuse(entries, notRecorded(error));
    if (entries.length === 1) return refuse(entries, error);
    // A row is bad in a way that validation did not see: the halves are tried apart, so that it fails alone.
    log.error({ error: describeFailure(error), rows: entries.length }, "a batch failed; its halves are tried apart");
    const middle = Math.ceil(entries.length / 2);
    const halves = [entries.slice(0, middle), entries.slice(middle)];
    const stillHeld: Entry[] = [];
    for (const half of halves) stillHeld.push(...((await attempt(half, skipLocked)) ?? half));
    return stillHeld;
  };

  /** First those that were stored: whatever happens later, they are recorded. Then the repeated keys, by a second look. */
  const answer = async (groups: Group[], rows: BatchRow[]): Promise<Entry[]> => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    const stillHeld: Entry[] = [];
    const repeated: Group[] = [];
    for (const group of groups) {
      const { donation } = group[0];
      const row = byId.get(donation.id);
      if (!row) repeated.push(group);
      else if (row.sequence === null) stillHeld.push(...group);
      else answerGroup(group, justStored(donation, row.received_at, row.sequence));
    }
    if (repeated.length > 0) await answerRepeated(repeated, () => findTaken(pool, leadersOf(repeated)));
    return stillHeld;
  };

  /** The commit's answer was lost: end that backend, then look our own ids and keys up before anything is said. */
  const afterLoss = async (groups: Group[], lost: LostConnection, deadline: number): Promise<Entry[]> => {
    log.error({ error: describeFailure(lost.cause) }, lost.message);
    await answerRepeated(groups, () => lookUp(leadersOf(groups), lost, deadline));
    return [];
  };

  const lookUp = async (leaders: NewDonation[], { backend }: LostConnection, deadline: number): Promise<StoredDonation[]> => {
    for (;;) {
      const left = deadline - performance.now();
      try {
        return await within(
          left,
          endBackend(pool, backend).then(() => findTaken(pool, leaders)),
        );
      } catch (cause) {
        if (left < lookAgainMs)
          throw new Problem("internal_error", "The outcome is unknown. Retry with the same idempotencyKey.", { cause });
        await sleep(lookAgainMs);
      }
    }
  };

  return attempt;
}

/** Answers each group with the donation that holds its key (or its id); a group without one was not recorded. */
async function answerRepeated(groups: Group[], find: () => Promise<StoredDonation[]>): Promise<void> {
  try {
    const found = await find();
    for (const group of groups) {
      const stored = found.find((donation) => isHeldBy(group[0].donation, donation));
      if (stored) answerGroup(group, stored);
      else refuse(group, notRecorded(null));
    }
  } catch (error) {
    refuse(groups.flat(), isUnavailable(error) ? notRecorded(error) : error);
  }
}

function answerGroup(group: Group, stored: StoredDonation): void {
  for (const { donation, resolve, reject } of group) {
    if (stored.id === donation.id) resolve({ created: true, donation: stored });
    else if (isSameDonation(donation, stored)) resolve({ created: false, donation: stored });
    else reject(new KeyConflict("idempotency_key_reused", "This idempotencyKey already belongs to another donation."));
  }
}

function refuse(entries: Entry[], error: unknown): Entry[] {
  for (const { reject } of entries) reject(error);
  return [];
}

/** Entries with one key form one group, its first the leader: only that one is sent. Entries without a key stand alone. */
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

function isHeldBy(asked: NewDonation, stored: StoredDonation): boolean {
  if (stored.streamerId !== asked.streamerId) return false;
  if (stored.id === asked.id) return true;
  return asked.idempotencyKey !== null && stored.idempotencyKey === asked.idempotencyKey && stored.applicationId === asked.applicationId;
}

/** Rejects as an unreachable database does when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = new AbortController();
  const expired = sleep(Math.max(0, ms), undefined, { signal: late.signal }).then(() => {
    throw Object.assign(new Error(`no answer within ${Math.round(ms)} ms`), { code: "ETIMEDOUT" });
  });
  return Promise.race([work, expired]).finally(() => late.abort());
}

function notRecorded(cause: unknown): Problem {
  return new Problem("unavailable", "The database can't be reached; nothing was recorded.", { cause });
}

function isHeldLock(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "55P03" || code === "40P01"; // lock_not_available, deadlock_detected
}

function isCancelled(error: unknown): boolean {
  return (error as { code?: unknown }).code === "57014"; // statement_timeout
}
