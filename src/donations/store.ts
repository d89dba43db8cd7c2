// Reads the donations table. Writing is record.sql's business alone.

import type { Knex } from "knex";
import type { StoredDonation } from "./donation.ts";
import type { Filters, Page, PageRequest, Position, Sort } from "./page.ts";
import { columns, type DonationRow, fromRow, withAlert } from "./rows.ts";

export type DonationStore = ReturnType<typeof donationStore>;

/** Rows that one page looks at, at most, however rare the match. */
const maxExamined = 2_000;

type Order = { column: "created_at" | "amount" | null; descending: boolean };

const orders: Record<Sort, Order> = {
  createdAt: { column: "created_at", descending: false },
  "-createdAt": { column: "created_at", descending: true },
  receivedAt: { column: null, descending: false }, // the sequence alone
  "-receivedAt": { column: null, descending: true },
  amount: { column: "amount", descending: false },
  "-amount": { column: "amount", descending: true },
};

export function donationStore(knex: Knex) {
  return {
    /** One donation of the streamer, or null. */
    find: async (streamerId: string, donationId: string): Promise<StoredDonation | null> => {
      const { rows } = await knex.raw<{ rows: DonationRow[] }>(
        `select ${columns} from donations d ${withAlert} where d.streamer_id = ? and d.id = ?`,
        [streamerId, donationId],
      );
      return rows[0] ? fromRow(rows[0]) : null;
    },

    /** A keyset page: walks the sort's index from `after` on and stops after `limit` matches or `maxExamined` rows. */
    page: async (streamerId: string, { sort, filters, after, limit }: PageRequest): Promise<Page> => {
      const order = orders[sort];
      const walk = walkFrom(streamerId, order, filters, after);
      const match = matching(filters);
      const { rows } = await knex.raw<{ rows: (DonationRow & { matches: boolean })[] }>(
        `select ${columns}, d.matches from (
           select *, ${match.sql} as matches, row_number() over (${walk.order}) as examined
           from donations where ${walk.sql} ${walk.order} limit ${maxExamined}
         ) d ${withAlert}
         where d.matches or d.examined = ${maxExamined}
         ${walk.outerOrder} limit ?`,
        [...match.bindings, ...walk.bindings, limit + 1] as never,
      );
      return toPage(rows, order, limit);
    },
  };
}

/** Which stretch of the index is walked, and in which direction. */
function walkFrom(streamerId: string, { column, descending }: Order, filters: Filters, after: Position | null) {
  const way = descending ? "desc" : "asc";
  const keys = column ? [column, "sequence"] : ["sequence"];
  const sql = ["streamer_id = ?"];
  const bindings: unknown[] = [streamerId];
  if (column === "created_at") bound(sql, bindings, "created_at", "from_millis(?)", filters.range.from, filters.range.to);
  if (after) {
    sql.push(
      `(${keys.join(", ")}) ${descending ? "<" : ">"} (${column === "created_at" ? "from_millis(?), " : column ? "?::numeric, " : ""}?)`,
    );
    bindings.push(...(column ? [after.value] : []), after.sequence);
  }
  const ordered = (prefix: string) => `order by ${keys.map((key) => `${prefix}${key} ${way}`).join(", ")}`;
  return { sql: sql.join(" and "), bindings, order: ordered(""), outerOrder: ordered("d.") };
}

/** Which of the rows walked over are on the page. */
function matching(filters: Filters) {
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

/** The row after the page tells that there is more; the last examined row, matching or not, is where to go on. */
function toPage(rows: (DonationRow & { matches: boolean })[], order: Order, limit: number): Page {
  const matches = rows.filter((row) => row.matches);
  const donations = matches.slice(0, limit).map(fromRow);
  const stoppedEarly = rows.length > 0 && rows.at(-1)?.matches === false && matches.length <= limit;
  const lastRow = matches.length > limit ? matches[limit - 1] : rows.at(-1);
  const hasMore = matches.length > limit || stoppedEarly;
  return { donations, last: lastRow ? positionOf(lastRow, order) : null, hasMore };
}

function positionOf(row: DonationRow, { column }: Order): Position {
  return { value: column === "amount" ? row.amount : row.created_at_ms, sequence: row.sequence };
}
