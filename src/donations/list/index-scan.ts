// The parts of statements with which lists, searches and exports scan the donations table along the index of their order.

import type { Bind } from "../../db/batched-reads.ts";
import type { SqlBinding } from "../../db/sql-values.ts";
import type { Filters, Position, Sort } from "./page-request.ts";

export type Order = { column: "created_at" | "amount" | null; descending: boolean };

/** `after`: the last row of the page before; null: the first page. */
type Scan = Readonly<{ streamerId: string; order: Order; filters: Filters; after: Position | null }>;

/** A part of a statement. */
type Sql = { sql: string; bindings: SqlBinding[] };

export const orders: Record<Sort, Order> = {
  createdAt: { column: "created_at", descending: false },
  "-createdAt": { column: "created_at", descending: true },
  receivedAt: { column: null, descending: false }, // the sequence alone
  "-receivedAt": { column: null, descending: true },
  amount: { column: "amount", descending: false },
  "-amount": { column: "amount", descending: true },
};

/** The `order by` clause of an order; `prefix` names the table, such as `d.`. */
export function orderBy({ column, descending }: Order, prefix = ""): string {
  const way = descending ? "desc" : "asc";
  const keys = column ? [column, "sequence"] : ["sequence"];
  return `order by ${keys.map((key) => `${prefix}${key} ${way}`).join(", ")}`;
}

/**
 * The condition that limits a scan to its part of the index: one streamer, the rows after a position, and the range or the amounts when the
 * order is by them.
 */
export function scanCondition(scan: Scan): Sql {
  return collected((bind) => scanConditionBy(bind, scan));
}

/** The same where each value stands as what `bind` returns for it. */
export function scanConditionBy(bind: Bind, { streamerId, order, filters, after }: Scan): string {
  const sql = [`streamer_id = ${bind(streamerId, "uuid")}`];
  if (order.column === "created_at") addRange(sql, bind, filters);
  if (order.column === "amount") addAmounts(sql, bind, filters);
  if (filters.status === "voided") sql.push(isVoid); // each order has an index of the void donations alone
  if (after) sql.push(afterConditionBy(bind, order, after));
  return sql.join(" and ");
}

/** Rows that come after a position in this order. */
export function afterCondition(order: Order, position: Position): Sql {
  return collected((bind) => afterConditionBy(bind, order, position));
}

export function afterConditionBy(bind: Bind, { column, descending }: Order, { value, sequence }: Position): string {
  const way = descending ? "<" : ">";
  if (!column) return `sequence ${way} ${bind(sequence, "bigint")}`;
  const key = column === "created_at" ? `from_millis(${bind(value, "bigint")})` : `${bind(value, "numeric")}::numeric`;
  return `(${column}, sequence) ${way} (${key}, ${bind(sequence, "bigint")})`;
}

/** The condition for rows that pass the filters: true or false, never null. */
export function filterCondition(filters: Filters): Sql {
  return collected((bind) => filterConditionBy(bind, filters));
}

export function filterConditionBy(bind: Bind, filters: Filters): string {
  const sql = [`source = any(${bind(filters.sources, "text[]")})`];
  addRange(sql, bind, filters);
  if (filters.channels) sql.push(`channel = any(${bind(filters.channels, "text[]")})`);
  if (filters.donatorKey !== undefined) sql.push(`donator_key = ${bind(filters.donatorKey, "text")}`);
  if (filters.identifier !== null) sql.push(`identifier = ${bind(filters.identifier, "text")}`);
  addAmounts(sql, bind, filters);
  if (filters.status !== "all") sql.push(filters.status === "voided" ? isVoid : isActive);
  return `(${sql.join(" and ")}) is true`;
}

const isVoid = "voided_at is not null";
const isActive = "voided_at is null";

function addRange(sql: string[], bind: Bind, { range: { from, to } }: Filters): void {
  if (from !== null) sql.push(`created_at >= from_millis(${bind(from, "bigint")})`);
  if (to !== null) sql.push(`created_at < from_millis(${bind(to, "bigint")})`);
}

function addAmounts(sql: string[], bind: Bind, { minAmount, maxAmount }: Filters): void {
  if (minAmount !== null) sql.push(`amount >= ${bind(String(minAmount), "numeric")}::numeric`);
  if (maxAmount !== null) sql.push(`amount <= ${bind(String(maxAmount), "numeric")}::numeric`);
}

function collected(write: (bind: Bind) => string): Sql {
  const bindings: SqlBinding[] = [];
  const sql = write((value) => {
    bindings.push(value);
    return "?";
  });
  return { sql, bindings };
}
