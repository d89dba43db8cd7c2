// Reads for many callers in one statement. A round trip to the database costs more than the rows that it reads by key, so calls that arrive
// while a statement is under way share the next one. An idle process sends a call at once.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { asDatabaseError } from "../telemetry/describe-failure.ts";
import { activeTracing, currentSpan, inBatchSpan, type TraceSpan } from "../telemetry/tracing.ts";
import { readLimits } from "./citus/layout.ts";
import { isUnavailable } from "./failures.ts";
import { tooManyWaiting } from "./pool.ts";
import { preparedQuery } from "./prepared-query.ts";
import { arrayLiteral } from "./sql-values.ts";

/** Adds a value to a call and returns the name that stands for it in the SQL. */
export type Bind = (value: string | number | boolean | null | Buffer | readonly (string | number)[], type: BoundType) => string;
type BoundType = "boolean" | "bytea" | "uuid" | "bigint" | "integer" | "numeric" | "text" | `${"text" | "bigint" | "integer"}[]`;

/**
 * Runs one query for one call: `write` returns its SQL, in which each value is replaced by the name that `bind` returns for it. Calls with the
 * same SQL share a statement, which is prepared once per connection. Resolves to the rows of this call, in no particular order. Rejects with
 * the error of the database.
 */
export type BatchedReads = <Row>(write: (bind: Bind) => string) => Promise<Row[]>;

type Value = string | number | boolean | null;
type Call = { values: Value[]; resolve: (rows: never[]) => void; reject: (error: unknown) => void; span: TraceSpan | null };
type Queue = { name: string; text: string; waiting: Call[]; underWay: number; scheduled: boolean };
/** `waiting`: the number of waiting calls of all queues. */
type Batches = { pool: Knex; maxUnderWay: number; maxBatch: number; queues: Map<string, Queue>; waiting: number };

const usualBatch = 64;
/** Calls of all statements that may wait for a batch. Further calls are rejected at once, as a pool rejects them. */
const maxWaiting = 500;
/** Batches of one statement under way: while the database works on one, this process reads the answer to the other. */
const usuallyUnderWay = 2;
const queryCanceled = "57014";

/** `maxUnderWay`: batches of one statement that the pool has at a time. */
export function batchedReads(pool: Knex, maxUnderWay = usuallyUnderWay): BatchedReads {
  const batches: Batches = { pool, ...readLimits(pool, { maxBatch: usualBatch, maxUnderWay }), queues: new Map(), waiting: 0 };
  return async (write) => {
    const values: Value[] = [];
    const types: BoundType[] = [];
    const query = write((value, type) => {
      types.push(type);
      const place = values.push(toValue(value));
      return isAlone(batches) ? `$${place}::${type}` : `v${place}`;
    });
    if (batches.waiting >= maxWaiting) throw tooManyWaiting(maxWaiting);
    const queue = queueOf(batches, query, types);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ values, resolve, reject, span: currentSpan() });
      batches.waiting += 1;
      schedule(batches, queue);
    });
  };
}

/** A statement that never has more than one call is the query itself. */
const isAlone = ({ maxBatch }: Batches): boolean => maxBatch === 1;

/** A value as text of PostgreSQL: an array literal, or bytes in hex. */
function toValue(value: Parameters<Bind>[0]): Value {
  if (Buffer.isBuffer(value)) return `\\x${value.toString("hex")}`;
  return typeof value === "object" && value !== null ? arrayLiteral(value) : value;
}

/** Returns the queue of a query. Their number is bounded by the combinations of filters. */
function queueOf(batches: Batches, query: string, types: readonly BoundType[]): Queue {
  const { queues } = batches;
  const key = `${types.join(" ")} ${query}`;
  const known = queues.get(key);
  if (known) return known;
  const text = isAlone(batches) ? `select 1 as call, answer.* from (${query}) as answer` : statementOf(query, types);
  const queue = { name: `batched ${hash("sha256", text).slice(0, 32)}`, text, waiting: [], underWay: 0, scheduled: false };
  queues.set(key, queue);
  return queue;
}

/** Joins the query laterally with the values of each call. `offset 0` keeps the planner from merging the query, so that it runs once for each call. */
function statementOf(query: string, types: readonly BoundType[]): string {
  const names = types.map((_, index) => `v${index + 1}`);
  const columns = names.map((name, index) => (types[index]?.endsWith("[]") ? `${name}::${types[index]}` : name));
  const arrays = types.map((type, index) => `$${index + 1}::${type.endsWith("[]") ? "text" : type}[]`);
  return `select call, answer.* from (
      select ${[...columns, "call"].join(", ")} from unnest(${arrays.join(", ")}) with ordinality as given(${[...names, "call"].join(", ")}) offset 0
    ) as asked cross join lateral (${query} offset 0) as answer`;
}

/** Sends a batch at the end of the turn of the event loop, so that calls of requests that arrived together are in it. */
function schedule(batches: Batches, queue: Queue): void {
  if (queue.scheduled || queue.underWay >= batches.maxUnderWay) return;
  queue.scheduled = true;
  setImmediate(() => {
    queue.scheduled = false;
    if (queue.waiting.length > 0) void send(batches, queue);
  });
}

async function send(batches: Batches, queue: Queue): Promise<void> {
  const calls = queue.waiting.splice(0, batches.maxBatch);
  batches.waiting -= calls.length;
  queue.underWay += 1;
  await answer(batches, queue, calls);
  queue.underWay -= 1;
  if (queue.waiting.length > 0) schedule(batches, queue);
}

/** Never rejects. When a statement of several calls fails, each call is run alone, so that only the calls that cause the failure are rejected. */
async function answer(batches: Batches, queue: Queue, calls: readonly Call[]): Promise<void> {
  const failure = await failureOf(batches, queue, calls);
  if (failure === null) return;
  if (calls.length === 1 || concernsAll(failure.error)) rejectAll(calls, failure.error);
  else await answerEach(batches, queue, calls);
}

async function answerEach(batches: Batches, queue: Queue, calls: readonly Call[]): Promise<void> {
  for (const [index, call] of calls.entries()) {
    const failure = await failureOf(batches, queue, [call]);
    if (failure === null) continue;
    call.reject(failure.error);
    if (concernsAll(failure.error)) return rejectAll(calls.slice(index + 1), failure.error);
  }
}

/** Whether other calls would fail alike. A statement that ran too long is such a one: the calls, one after the other, would wait for hours. */
function concernsAll(error: unknown): boolean {
  return isUnavailable(error) || asDatabaseError(error).code === queryCanceled;
}

function rejectAll(calls: readonly Call[], error: unknown): void {
  for (const { reject } of calls) reject(error);
}

/** Answers the calls with one statement. Resolves to null, or to what it failed with. */
async function failureOf(batches: Batches, queue: Queue, calls: readonly Call[]): Promise<{ error: unknown } | null> {
  try {
    const rows = await rowsOf(batches, queue, calls);
    for (const [index, { resolve }] of calls.entries()) resolve(rows[index] as never[]);
    return null;
  } catch (error) {
    return { error };
  }
}

/** Runs the statement and returns the rows of each call. */
async function rowsOf(batches: Batches, { name, text }: Queue, calls: readonly Call[]): Promise<never[][]> {
  const { values: firstValues } = calls[0] as Call;
  const together = () => firstValues.map((_, index) => arrayLiteral(calls.map((call) => call.values[index] as Value)));
  const values = isAlone(batches) ? firstValues : together();
  const rows: never[][] = calls.map(() => []);
  const query = () => preparedQuery<{ call: number }>(batches.pool, { name, text }, values);
  const found = activeTracing()
    ? await inBatchSpan(
        "batched reads",
        calls.map(({ span }) => span),
        query,
      )
    : await query();
  for (const row of found) rows[row.call - 1]?.push(row as never);
  return rows;
}

// A query of its own: prepared, and alone in its statement. For reads that are too long to share one with others, or need their order.

/** Resolves to the rows of the query that `write` returns, in its order. Queries with the same SQL are prepared once per connection. */
export function boundQuery<Row extends object>(pool: Knex, write: (bind: Bind) => string): Promise<Row[]> {
  const values: unknown[] = [];
  const text = write((value, type) => `$${values.push(toValue(value))}::${type}`);
  return preparedQuery<Row>(pool, { name: `alone ${hash("sha256", text).slice(0, 32)}`, text }, values);
}
