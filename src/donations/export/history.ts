// The whole history of a streamer, as far as it keeps the filters, from one snapshot of the database.

import type { Knex } from "knex";
import { Problem } from "../../http/problem.ts";
import type { Range } from "../../http/range.ts";
import { type Member, members, type Row, selectList } from "../columns.ts";
import { matching, orderBy, orders, stretch } from "../index-scan.ts";
import { type FilterQuery, type Filters, type Position, readFilters, type Sort } from "../page-request.ts";

/** Members that an export does not show: ours alone, or of no use to its reader. A new member is shown. */
const leftOut = ["streamerId", "applicationId", "donatorKey", "createdOffset", "skipAlert"] as const satisfies readonly Member[];

/** What an export shows of a donation. `amount` is its exact decimal. */
export type HistoryRow = Omit<Row, (typeof leftOut)[number]> & { receivedAt: number };

const shown = members.filter((member) => !(leftOut as readonly Member[]).includes(member));

/** The application's own idempotency keys are shown, and no others'. */
const selected = selectList(shown).replace("d.idempotency_key", "case when d.application_id = ? then d.idempotency_key end");

export type History = {
  range: Range;
  batches: AsyncIterable<HistoryRow[]>;
  /** Ends the transaction and frees its connection; call it in any case. */
  close: () => void;
};

export type HistoryRequest = { streamerId: string; applicationId: string; sort: Sort; query: FilterQuery };

export type OpenHistory = (request: HistoryRequest) => Promise<History>;

type WalkedRow = HistoryRow & { sequence: number; matches: boolean; examined: number };
type Walk = (after: Position | null) => Promise<WalkedRow[]>;

/** Donations of one batch. */
const batchSize = 500;

/** Donations that one statement looks at, at most: none runs long, so whoever hangs up is noticed soon. */
const maxExamined = 10_000;

/**
 * Reads with at most `slots` transactions at once, one of them for each streamer. Whoever finds no slot within `patienceMs` is told to
 * come back: unavailable; whoever has one already: rate_limited.
 */
export function historyReader(pool: Knex, slots: number, patienceMs = 5_000): OpenHistory {
  const slot = limiter(slots, patienceMs);
  return async (request) => {
    const filters = readFilters(request.query);
    const giveBack = await slot();
    try {
      const transaction = await begin(pool, request.streamerId);
      // Whatever becomes of the rollback, the connection is given back; a lost one is the pool's to replace.
      const close = once(() => void transaction.rollback().then(giveBack, giveBack));
      return { range: filters.range, batches: readAll(walker(transaction, request, filters), request.sort, close), close };
    } catch (error) {
      giveBack();
      throw error;
    }
  };
}

/**
 * One snapshot, and the streamer's only one in all processes: whoever takes an export slowly takes one slot, not all of them.
 * The rows come along an index, the first at once: sorting would read them all before.
 */
async function begin(pool: Knex, streamerId: string): Promise<Knex.Transaction> {
  const transaction = await pool.transaction(undefined, { isolationLevel: "repeatable read", readOnly: true });
  try {
    await transaction.raw(
      `set local enable_sort = off; set local enable_seqscan = off; set local enable_bitmapscan = off; set local jit = off;
       set local lock_timeout = '${turnMs}ms'`,
    );
    await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`export ${streamerId}`]);
    return transaction;
  } catch (error) {
    await transaction.rollback().catch(() => {});
    throw (error as { code?: string }).code === lockNotAvailable ? anotherIsRunning(error) : error;
  }
}

/** SQLSTATE of a lock that was waited for in vain. */
const lockNotAvailable = "55P03";

/** The export before may just be giving its transaction back. */
const turnMs = 500;

function anotherIsRunning(cause: unknown): Problem {
  const detail = "Another export of this streamer is still being read; there is one at a time.";
  return new Problem("rate_limited", detail, { cause, headers: { "Retry-After": "10" } });
}

function walker(transaction: Knex.Transaction, { streamerId, applicationId, sort }: HistoryRequest, filters: Filters): Walk {
  const order = orders[sort];
  const match = matching(filters);
  return async (after) => {
    const walk = stretch(streamerId, order, filters, after);
    const { rows } = await transaction.raw<{ rows: WalkedRow[] }>(
      `select ${selected}, to_millis(received_at) as "receivedAt", sequence, matches, examined
       from (
         select *, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
         from donations where ${walk.sql} ${orderBy(order)} limit ${maxExamined}
       ) d
       where matches or examined = ${maxExamined}
       ${orderBy(order, "d.")} limit ${batchSize}`,
      [applicationId, ...match.bindings, ...walk.bindings] as never,
    );
    return rows;
  };
}

async function* readAll(walk: Walk, sort: Sort, close: () => void): AsyncIterable<HistoryRow[]> {
  let after: Position | null = null;
  do {
    const rows: WalkedRow[] = await walk(after);
    const matches = rows.filter(({ matches }) => matches);
    if (matches.length > 0) yield matches;
    const last = rows.at(-1);
    const stopped = rows.length === batchSize || last?.examined === maxExamined;
    after = last && stopped ? { value: sort.endsWith("amount") ? last.amount : last.createdAt, sequence: last.sequence } : null;
  } while (after);
  close();
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

/** Gives out `count` slots, in the order asked. A slot is given back by calling what was given. */
function limiter(count: number, patienceMs: number): () => Promise<() => void> {
  const waiting: (() => void)[] = [];
  let free = count;
  const giveBack = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return () =>
    new Promise((resolve, reject) => {
      if (free > 0) {
        free -= 1;
        return resolve(giveBack);
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        reject(new Problem("unavailable", "Too many exports are being made; try again in a moment.", { headers: { "Retry-After": "10" } }));
      }, patienceMs);
      const take = () => {
        clearTimeout(timer);
        resolve(giveBack);
      };
      waiting.push(take);
    });
}
