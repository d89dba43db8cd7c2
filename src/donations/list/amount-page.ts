// Chooses the donations of a page that is ordered by amount and limited to a range of time. A short range is read and sorted. For a long one
// the index by amount is scanned, which contains the columns of the filters, so that only rows of the page are read.

import type { Knex } from "knex";
import { afterCondition, filterCondition, type Order, orderBy, orders, scanCondition } from "./index-scan.ts";
import type { Filters, PageRequest, Position } from "./page-request.ts";

/** Sequences of donations in order. `last`: where the next page begins. */
type AmountPage = { sequences: number[]; last: Position | null; hasMore: boolean };

type AmountRow = { sequence: number; amount: string; matches: boolean; examined: number };
type PageQuery = { streamerId: string; order: Order; filters: Filters; after: Position | null; count: number };

/**
 * `examined`: index entries that a scan examines for one page. `sorted`: donations of a range that are still sorted; more of them, because
 * they are stored side by side, unlike those that a scan by amount finds.
 */
export type Bounds = { examined: number; sorted: number };

const defaultBounds: Bounds = { examined: 2_000, sorted: 2_500 };

/** Chooses the donations of one page. */
export async function chooseByAmount(knex: Knex, streamerId: string, request: PageRequest, bounds = defaultBounds): Promise<AmountPage> {
  const { sort, filters, after, limit } = request;
  const query = { streamerId, order: orders[sort], filters, after, count: limit + 1 };
  const rows = (await sortRange(knex, query, bounds.sorted)) ?? (await scanAmounts(knex, query, bounds.examined));
  const matches = rows.filter((row) => row.matches);
  const hasMoreMatches = matches.length > limit;
  const last = hasMoreMatches ? matches[limit - 1] : rows.at(-1);
  return {
    sequences: matches.slice(0, limit).map(({ sequence }) => sequence),
    last: last ? { value: last.amount, sequence: last.sequence } : null,
    hasMore: hasMoreMatches || last?.examined === bounds.examined,
  };
}

/** Reads and sorts the donations of the range; null when there are more than `max`. */
async function sortRange(knex: Knex, { streamerId, order, filters, after, count }: PageQuery, max: number): Promise<AmountRow[] | null> {
  const range = scanCondition({ streamerId, order: orders.createdAt, filters, after: null });
  const match = filterCondition(filters);
  const position = after ? afterCondition(order, after) : { sql: "true", bindings: [] };
  // The count reads only the index, and when it is too high nothing else is read. The orders keep both parts on the index by createdAt.
  const { rows } = await knex.raw<{ rows: (AmountRow & { size: number })[] }>(
    `with counted as materialized (
       select count(*) as size from (
         select from donations where ${range.sql} ${orderBy(orders.createdAt)} limit ${max + 1}
       ) d
     ),
     ranged as materialized (
       select * from donations where ${range.sql} and (select size from counted) <= ${max} ${orderBy(orders.createdAt)}
     )
     select size, sequence, amount, true as matches, 0 as examined from counted left join (
       select sequence, amount from ranged where ${match.sql} and ${position.sql}
     ) d on true ${orderBy(order)} limit ?`,
    [...range.bindings, ...range.bindings, ...match.bindings, ...position.bindings, count],
  );
  if ((rows[0]?.size ?? 0) > max) return null;
  return rows.filter(({ sequence }) => sequence !== null);
}

/** Returns the matches among the next `max` entries of the index, and the last entry examined, matching or not. */
async function scanAmounts(knex: Knex, { streamerId, order, filters, after, count }: PageQuery, max: number): Promise<AmountRow[]> {
  const walk = scanCondition({ streamerId, order, filters, after });
  // Whether a donation is void is not in the index of the scan: of the few that match otherwise, the index of the void ones is asked.
  const match = filterCondition({ ...filters, status: "all" });
  const isActive = filters.status === "active";
  const { rows } = await knex.raw<{ rows: AmountRow[] }>(
    `select * from (
       select sequence, amount, examined, matches and ${isActive ? isNotVoid : "true"} as matches from (
         select sequence, amount, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
         from donations where ${walk.sql} ${orderBy(order)} limit ${max}
       ) w
     ) d where matches or examined = ${max} ${orderBy(order)} limit ?`,
    [...(isActive ? [streamerId] : []), ...match.bindings, ...walk.bindings, count],
  );
  return rows;
}

/** The streamer is a value, because Citus refuses a sub-select that compares the columns of a table and of a sub-select with a limit. */
const isNotVoid = `not exists (
  select from donations v where v.streamer_id = ? and v.sequence = w.sequence and v.voided_at is not null
)`;
