// How lists, searches and exports go through the donations table: along the index of their order, matching as they go.

import type { Filters, Position, Sort } from "./page.ts";

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

/** The condition that confines a walk to its stretch of the index: one streamer, the range where it is ordered by it, behind `after`. */
export function stretch(streamerId: string, order: Order, filters: Filters, after: Position | null): Sql {
  const sql = ["streamer_id = ?"];
  const bindings: unknown[] = [streamerId];
  if (order.column === "created_at") bound(sql, bindings, "created_at", "from_millis(?)", filters.range.from, filters.range.to);
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
  bound(sql, bindings, "created_at", "from_millis(?)", filters.range.from, filters.range.to);
  if (filters.channels) sql.push("channel = any(?)") && bindings.push(filters.channels);
  if (filters.identifier !== null) sql.push("identifier = ?") && bindings.push(filters.identifier);
  if (filters.minAmount !== null) sql.push("amount >= ?::numeric") && bindings.push(String(filters.minAmount));
  if (filters.maxAmount !== null) sql.push("amount <= ?::numeric") && bindings.push(String(filters.maxAmount));
  return { sql: `(${sql.join(" and ")}) is true`, bindings };
}

function bound(sql: string[], bindings: unknown[], column: string, value: string, from: number | null, to: number | null): void {
  if (from !== null) sql.push(`${column} >= ${value}`) && bindings.push(from);
  if (to !== null) sql.push(`${column} < ${value}`) && bindings.push(to);
}
