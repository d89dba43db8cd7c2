// Reads the donations table. Writing is the business of record.sql and record-one-streamer.sql alone.

import type { Knex } from "knex";
import { chooseByAmount } from "./amount-page.ts";
import type { StoredDonation } from "./donation.ts";
import { matching, type Order, orderBy, orders, stretch } from "./index-scan.ts";
import type { Filters, Page, PageRequest, Position } from "./page-request.ts";
import { type DonationRow, fromRow, selected, withAlert } from "./rows.ts";

export type DonationStore = ReturnType<typeof donationStore>;

type WalkedRow = DonationRow & { matches: boolean; examined: number };

/** Rows that one page looks at, at most, however rare the match. */
const maxExamined = 2_000;

export function donationStore(knex: Knex) {
  const findAll = async (streamerId: string, sequences: readonly number[]): Promise<StoredDonation[]> => {
    if (sequences.length === 0) return [];
    const { rows } = await knex.raw<{ rows: DonationRow[] }>(
      `select ${selected} from donations d ${withAlert} where d.streamer_id = ? and d.sequence = any(?)`,
      [streamerId, sequences] as never,
    );
    const found = new Map(rows.map((row) => [row.sequence, row]));
    return sequences.flatMap((sequence) => found.get(sequence) ?? []).map(fromRow);
  };

  const pageByAmount = async (streamerId: string, request: PageRequest): Promise<Page> => {
    const { sequences, ...page } = await chooseByAmount(knex, streamerId, request);
    return { ...page, donations: await findAll(streamerId, sequences) };
  };

  return {
    /** One donation of the streamer, or null. */
    find: async (streamerId: string, donationId: string): Promise<StoredDonation | null> => {
      const { rows } = await knex.raw<{ rows: DonationRow[] }>(
        `select ${selected} from donations d ${withAlert} where d.streamer_id = ? and d.id = ?`,
        [streamerId, donationId],
      );
      return rows[0] ? fromRow(rows[0]) : null;
    },

    /** Donations of the streamer by their sequences, in that order. */
    findAll,

    /** A keyset page: walks the sort's index from `after` on and stops after `limit` matches or `maxExamined` rows. */
    page: async (streamerId: string, request: PageRequest): Promise<Page> => {
      const { sort, filters, after, limit } = request;
      const order = orders[sort];
      // Without a range, most rows that the walk comes by are on the page.
      if (order.column === "amount" && isRanged(filters)) return pageByAmount(streamerId, request);
      const walk = stretch(streamerId, order, filters, after);
      const match = matching(filters);
      const { rows } = await knex.raw<{ rows: WalkedRow[] }>(
        `select ${selected}, d.matches, d.examined from (
           select *, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
           from donations where ${walk.sql} ${orderBy(order)} limit ${maxExamined}
         ) d ${withAlert}
         where d.matches or d.examined = ${maxExamined}
         ${orderBy(order, "d.")} limit ?`,
        [...match.bindings, ...walk.bindings, limit + 1] as never,
      );
      return toPage(rows, order, limit);
    },
  };
}

/** The row after the page tells that there is more; the last examined row, matching or not, is where to go on. */
function toPage(rows: WalkedRow[], order: Order, limit: number): Page {
  const matches = rows.filter((row) => row.matches);
  const donations = matches.slice(0, limit).map(fromRow);
  const overfull = matches.length > limit;
  const lastRow = overfull ? matches[limit - 1] : rows.at(-1);
  const stoppedEarly = lastRow?.examined === maxExamined;
  return { donations, last: lastRow ? positionOf(lastRow, order) : null, hasMore: overfull || stoppedEarly };
}

function positionOf(row: DonationRow, { column }: Order): Position {
  return { value: column === "amount" ? row.amount : row.createdAt, sequence: row.sequence };
}

function isRanged({ range: { from, to } }: Filters): boolean {
  return from !== null || to !== null;
}
