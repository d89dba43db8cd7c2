// Reads all donations of a streamer that pass the filters, in one snapshot of the database. Ends exports whose clients read too slowly.

import type { Knex } from "knex";
import { fairSemaphore } from "../../base/fair-slots.ts";
import { foldPart } from "../../base/text.ts";
import { lockByName } from "../../db/advisory-lock.ts";
import { isLockTimeout } from "../../db/failures.ts";
import type { Range } from "../../http/contract/parameters.ts";
import { Problem } from "../../http/problem.ts";
import { type DonationColumns, members, selectList } from "../columns.ts";
import type { Member } from "../donation.ts";
import { filterCondition, orderBy, orders, scanCondition } from "../list/index-scan.ts";
import { type FilterQuery, type Filters, type Position, readFilters, type Sort } from "../list/page-request.ts";
import { selectedVoid, type VoidColumns } from "../rows.ts";
import { findMatches } from "../search/search.ts";

/** Members that an export does not contain: internal ones, and those of no use to its reader. A new member is contained. */
const excludedMembers = ["streamerId", "applicationId", "donatorKey", "createdOffset", "skipAlert"] as const satisfies readonly Member[];

/** A donation of an export. `amount` is its exact decimal. */
export type HistoryRow = Omit<DonationColumns, (typeof excludedMembers)[number]> & { receivedAt: number } & VoidColumns;

const exportedMembers = members.filter((member) => !(excludedMembers as readonly Member[]).includes(member));

/** Idempotency keys of other applications are null. */
const selected = selectList(exportedMembers, { idempotencyKey: "case when d.application_id = ? then d.idempotency_key end" });

type History = {
  range: Range;
  batches: AsyncIterable<HistoryRow[]>;
  /** Ends the transaction and frees its connection. Call it in every case. */
  close: () => void;
};

/** `q` of the query: only donations that a search for it finds. */
type HistoryRequest = { streamerId: string; applicationId: string; sort: Sort; query: FilterQuery & { q?: string | undefined } };

export type OpenHistory = (request: HistoryRequest) => Promise<History>;

type WalkedRow = HistoryRow & { sequence: number; matches: boolean; examined: number };
type ReadBatch = (after: Position | null) => Promise<WalkedRow[]>;

/** Donations of one batch. */
const batchSize = 500;

/** A statement examines at most this many donations, so that it is short and a client that disconnects is noticed soon. */
const maxExamined = 10_000;

type Patience = { timeoutMs?: number; patience?: ReaderPatience };

/**
 * Opens at most `slots` histories at once, and one for each streamer in all processes. Throws unavailable when no slot is free within
 * `timeoutMs`, and rate_limited when the streamer has an open history already.
 */
export function historyReader(pool: Knex, slots: number, { timeoutMs = 5_000, patience = readerPatience }: Patience = {}): OpenHistory {
  const acquireSlot = fairSemaphore({ max: slots, maxWaiting, waitMs: timeoutMs, tooMany: tooManyExports });
  let waiting = 0;
  const othersWait = () => waiting > 0;
  const waitForSlot = (streamerId: string) => {
    waiting += 1;
    return acquireSlot(streamerId).finally(() => {
      waiting -= 1;
    });
  };
  return async (request) => {
    const filters = readFilters(request.query);
    const releaseSlot = await waitForSlot(request.streamerId);
    try {
      const transaction = await begin(pool, request.streamerId);
      // The slot is released even when the rollback fails; the pool replaces a lost connection.
      const close = once(() => void transaction.rollback().then(releaseSlot, releaseSlot));
      const batches = readAll(batchReader(transaction, request, filters), request, close);
      return { range: filters.range, batches: endWhenTooSlow(batches, { patience, othersWait, end: close }), close };
    } catch (error) {
      releaseSlot();
      throw error;
    }
  };
}

/**
 * Begins the one snapshot that a streamer may have in all processes, so that a client which reads slowly occupies one slot only.
 * The settings make PostgreSQL read rows along an index, the first one at once: a sort would read all of them first.
 */
async function begin(pool: Knex, streamerId: string): Promise<Knex.Transaction> {
  const transaction = await pool.transaction(undefined, { isolationLevel: "repeatable read", readOnly: true });
  try {
    await transaction.raw(
      `set local enable_sort = off; set local enable_seqscan = off; set local enable_bitmapscan = off; set local jit = off;
       set local lock_timeout = '${lockTimeoutMs}ms'`,
    );
    await lockByName(transaction, `export ${streamerId}`);
    return transaction;
  } catch (error) {
    await transaction.rollback().catch(() => {});
    throw isLockTimeout(error) ? exportUnderWay(error) : error;
  }
}

/** Exports that may wait for a slot. */
const maxWaiting = 200;

/** The previous export of the streamer may be ending its transaction just now. */
const lockTimeoutMs = 500;

function tooManyExports(): Problem {
  return new Problem("unavailable", "Too many exports are being made; try again in a moment.", { headers: { "Retry-After": "10" } });
}

function exportUnderWay(cause: unknown): Problem {
  const detail = "Another export of this streamer is still being read; there is one at a time.";
  return new Problem("rate_limited", detail, { cause, headers: { "Retry-After": "10" } });
}

function batchReader(transaction: Knex.Transaction, { streamerId, applicationId, sort }: HistoryRequest, filters: Filters): ReadBatch {
  const order = orders[sort];
  const match = filterCondition(filters);
  return async (after) => {
    const walk = scanCondition({ streamerId, order, filters, after });
    const { rows } = await transaction.raw<{ rows: WalkedRow[] }>(
      `select ${selected}, to_millis(received_at) as "receivedAt", ${selectedVoid}, sequence, matches, examined
       from (
         select *, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
         from donations where ${walk.sql} ${orderBy(order)} limit ${maxExamined}
       ) d
       where matches or examined = ${maxExamined}
       ${orderBy(order, "d.")} limit ${batchSize}`,
      [applicationId, ...match.bindings, ...walk.bindings],
    );
    return rows;
  };
}

/** Looks for the text in every donation that passes the filters: blocks of the search index would find them in another order. */
async function* readAll(readBatch: ReadBatch, { sort, query: { q } }: HistoryRequest, close: () => void): AsyncIterable<HistoryRow[]> {
  const term = q === undefined ? null : foldPart(q);
  let after: Position | null = null;
  do {
    const rows: WalkedRow[] = await readBatch(after);
    const passed = rows.filter(({ matches }) => matches);
    const matches = term === null ? passed : await findMatches(passed, term);
    if (matches.length > 0) yield matches;
    const last = rows.at(-1);
    const stopped = rows.length === batchSize || last?.examined === maxExamined;
    after = last && stopped ? { value: sort.endsWith("amount") ? last.amount : last.createdAt, sequence: last.sequence } : null;
  } while (after);
  close();
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

/**
 * How long an export may wait for its client altogether: `inAllMs`, and while others wait for its place `graceMs` and `msPerRow` for each row
 * that was passed on. `lookMs`: how often this is looked at.
 */
export type ReaderPatience = Readonly<{ inAllMs: number; graceMs: number; msPerRow: number; lookMs: number }>;

/** 500 rows in a second are 30 to 50 kB of a workbook. */
const readerPatience: ReaderPatience = { inAllMs: 30 * 60_000, graceMs: 20_000, msPerRow: 2, lookMs: 1_000 };

type WatchedExport = Readonly<{
  patience: ReaderPatience;
  /** Whether other exports wait for a place. */
  othersWait: () => boolean;
  /** Frees the place. */
  end: () => void;
}>;

/** Passes the batches on. Throws once the export was ended because its client is too slow. Reading the database does not count. */
export async function* endWhenTooSlow<Row>(
  batches: AsyncIterable<Row[]>,
  { patience, othersWait, end }: WatchedExport,
): AsyncIterable<Row[]> {
  const { inAllMs, graceMs, msPerRow, lookMs } = patience;
  let [waitedMs, rows] = [0, 0];
  for await (const batch of batches) {
    rows += batch.length;
    const since = performance.now();
    let isEnded = false;
    const look = () => {
      const waits = waitedMs + performance.now() - since;
      isEnded ||= waits > inAllMs || (waits > graceMs + rows * msPerRow && othersWait());
      if (isEnded) end();
    };
    const timer = setInterval(look, lookMs).unref();
    try {
      yield batch;
    } finally {
      clearInterval(timer);
    }
    if (isEnded) throw new Error("the client read the export too slowly");
    waitedMs += performance.now() - since;
  }
}
