// How lists, searches and exports go through the donations table: along the index of their order, matching as they go.

import type { Filters, Position, Sort } from "./page-request.ts";

export type Order = { column: "created_at" | "amount" | null; descending: boolean };

/** A part of a statement. */
export type Sql = { sql: string; bindings: unknown[] };

export const orders: Record<Sort, Order> = {
  createdAt: { column: "created_at", descending: false },
  "-createdAt": { column: "created_at", descending: true },
  receivedAt: { column: null, descending: false }, // the sequence alone
  "-receivedAt": { column: null, descending: true },
  amount: { column: "amount", descending: false },
  "-amount": { column: "amount", descending: true },
};

/** `order by` of an order; `prefix` names the table. */
export function orderBy({ column, descending }: Order, prefix = ""): string {
  const way = descending ? "desc" : "asc";
  const keys = column ? [column, "sequence"] : ["sequence"];
  return `order by ${keys.map((key) => `${prefix}${key} ${way}`).join(", ")}`;
}

/** The condition that confines a walk to its stretch of the index: one streamer, the range or the amounts where it is ordered by them, behind `after`. */
export function stretch(streamerId: string, order: Order, filters: Filters, after: Position | null): Sql {
  const sql = ["streamer_id = ?"];
  const bindings: unknown[] = [streamerId];
  if (order.column === "created_at") inRange(sql, bindings, filters);
  if (order.column === "amount") inAmounts(sql, bindings, filters);
  if (after) {
    const position = behind(order, after);
    sql.push(position.sql);
    bindings.push(...position.bindings);
  }
  return { sql: sql.join(" and "), bindings };
}

/** Rows that come after a position in this order. */
export function behind({ column, descending }: Order, { value, sequence }: Position): Sql {
  const way = descending ? "<" : ">";
  if (!column) return { sql: `sequence ${way} ?`, bindings: [sequence] };
  const key = column === "created_at" ? "from_millis(?)" : "?::numeric";
  return { sql: `(${column}, sequence) ${way} (${key}, ?)`, bindings: [value, sequence] };
}

/** Whether a row keeps the filters. */
export function matching(filters: Filters): Sql {
  const sql = ["source = any(?)"];
  const bindings: unknown[] = [filters.sources];
  inRange(sql, bindings, filters);
  if (filters.channels) sql.push("channel = any(?)") && bindings.push(filters.channels);
  if (filters.identifier !== null) sql.push("identifier = ?") && bindings.push(filters.identifier);
  inAmounts(sql, bindings, filters);
  return { sql: `(${sql.join(" and ")}) is true`, bindings };
}

function inRange(sql: string[], bindings: unknown[], { range: { from, to } }: Filters): void {
  if (from !== null) sql.push("created_at >= from_millis(?)") && bindings.push(from);
  if (to !== null) sql.push("created_at < from_millis(?)") && bindings.push(to);
}

function inAmounts(sql: string[], bindings: unknown[], { minAmount, maxAmount }: Filters): void {
  if (minAmount !== null) sql.push("amount >= ?::numeric") && bindings.push(String(minAmount));
  if (maxAmount !== null) sql.push("amount <= ?::numeric") && bindings.push(String(maxAmount));
}
