// A query of its own: prepared, and alone in its statement. For reads that are too long to share one with others, or need their order.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { type Bind, toValue } from "./batched-reads.ts";
import { preparedQuery } from "./prepared-query.ts";

/** Resolves to the rows of the query that `write` returns, in its order. Queries with the same SQL are prepared once per connection. */
export function boundQuery<Row extends object>(pool: Knex, write: (bind: Bind) => string): Promise<Row[]> {
  const values: unknown[] = [];
  const text = write((value, type) => `$${values.push(toValue(value))}::${type}`);
  return preparedQuery<Row>(pool, { name: `alone ${hash("sha256", text).slice(0, 32)}`, text }, values);
}
