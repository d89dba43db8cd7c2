// Which donations of a range are on a page by amount. A short range is read and sorted; else the index by amount is walked, which
// holds what the filters ask for, so that rows are read for the page alone.

import type { Knex } from "knex";
import { behind, matching, type Order, orderBy, orders, stretch } from "./index-scan.ts";
import type { Filters, PageRequest, Position } from "./page-request.ts";

/** Donations in order, by their sequences, and where to go on. */
export type Chosen = { sequences: number[]; last: Position | null; hasMore: boolean };

type Row = { sequence: number; amount: string; matches: boolean; examined: number };
type Question = { streamerId: string; order: Order; filters: Filters; after: Position | null; count: number };

/**
 * Index entries that a walk looks at, at most, for one page; and donations that are worth sorting, more of them, as they lie side by
 * side where those that a walk by amount finds don't.
 */
export type Bounds = { examined: number; sorted: number };

const defaultBounds: Bounds = { examined: 2_000, sorted: 2_500 };

export async function chooseByAmount(knex: Knex, streamerId: string, request: PageRequest, bounds = defaultBounds): Promise<Chosen> {
  const { sort, filters, after, limit } = request;
  const question = { streamerId, order: orders[sort], filters, after, count: limit + 1 };
  const rows = (await sorted(knex, question, bounds.sorted)) ?? (await walked(knex, question, bounds.examined));
  const matches = rows.filter((row) => row.matches);
  const overfull = matches.length > limit;
  const last = overfull ? matches[limit - 1] : rows.at(-1);
  return {
    sequences: matches.slice(0, limit).map(({ sequence }) => sequence),
    last: last ? { value: last.amount, sequence: last.sequence } : null,
    hasMore: overfull || last?.examined === bounds.examined,
  };
}

/** Null: the range holds more than is worth sorting. */
async function sorted(knex: Knex, { streamerId, order, filters, after, count }: Question, most: number): Promise<Row[] | null> {
  const range = stretch(streamerId, orders.createdAt, filters, null);
  const match = matching(filters);
  const position = after ? behind(order, after) : { sql: "true", bindings: [] };
  // The count asks the index alone, and where it is too high nothing else is read. The orders keep both on the index by createdAt.
  const { rows } = await knex.raw<{ rows: (Row & { size: number })[] }>(
    `with counted as materialized (
       select count(*) as size from (
         select from donations where ${range.sql} ${orderBy(orders.createdAt)} limit ${most + 1}
       ) d
     ),
     ranged as materialized (
       select * from donations where ${range.sql} and (select size from counted) <= ${most} ${orderBy(orders.createdAt)}
     )
     select size, sequence, amount, true as matches, 0 as examined from counted left join (
       select sequence, amount from ranged where ${match.sql} and ${position.sql}
     ) d on true ${orderBy(order)} limit ?`,
    [...range.bindings, ...range.bindings, ...match.bindings, ...position.bindings, count] as never,
  );
  if ((rows[0]?.size ?? 0) > most) return null;
  return rows.filter(({ sequence }) => sequence !== null);
}

/** Matches, and the last entry looked at, matching or not. */
async function walked(knex: Knex, { streamerId, order, filters, after, count }: Question, most: number): Promise<Row[]> {
  const walk = stretch(streamerId, order, filters, after);
  const match = matching(filters);
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `select * from (
       select sequence, amount, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
       from donations where ${walk.sql} ${orderBy(order)} limit ${most}
     ) d where matches or examined = ${most} ${orderBy(order)} limit ?`,
    [...match.bindings, ...walk.bindings, count] as never,
  );
  return rows;
}
