// Reads donations as the contract's operations ask for them: one by its id, or a page of a list.

import type { Knex } from "knex";
import type { BatchedReads, Bind } from "../db/batched-reads.ts";
import type { StoredDonation } from "./donation.ts";
import { chooseByAmount } from "./list/amount-page.ts";
import { filterConditionBy, type Order, orderBy, orders, scanConditionBy } from "./list/index-scan.ts";
import type { Filters, Page, PageRequest, Position } from "./list/page-request.ts";
import { type NextSumRequest, sumAll, sumNext } from "./list/sum-statements.ts";
import { type DonationRow, fromRow, selected, withAlert } from "./rows.ts";

export type DonationStore = ReturnType<typeof donationStore>;

/** A donation by its sequence; its row when it is read already. */
type Found = DonationRow | Readonly<{ sequence: number }>;

const isRow = (found: Found): found is DonationRow => "receivedAt" in found;

type WalkedRow = DonationRow & { matches: boolean; examined: number };

/** A page examines at most this many rows, however rare the matches are. */
const maxExamined = 2_000;

export function donationStore(knex: Knex, reads: BatchedReads) {
  const findAll = async (streamerId: string, found: readonly Found[]): Promise<StoredDonation[]> => {
    const sequences = found.flatMap((one) => (isRow(one) ? [] : one.sequence));
    const query = (bind: Bind) => `select ${selected} from donations d ${withAlert}
      where d.streamer_id = ${bind(streamerId, "uuid")} and d.sequence = any(${bind(sequences, "bigint[]")})`;
    const rows = sequences.length === 0 ? [] : await reads<DonationRow>(query);
    const rowBySequence = new Map([...rows, ...found.filter(isRow)].map((row) => [row.sequence, row]));
    return found.flatMap(({ sequence }) => rowBySequence.get(sequence) ?? []).map(fromRow);
  };

  const pageByAmount = async (streamerId: string, request: PageRequest): Promise<Page> => {
    const { sequences, ...page } = await chooseByAmount(knex, streamerId, request);
    return {
      ...page,
      donations: await findAll(
        streamerId,
        sequences.map((sequence) => ({ sequence })),
      ),
    };
  };

  return {
    /** Finds one donation of the streamer; null when there is none. */
    find: async (streamerId: string, donationId: string): Promise<StoredDonation | null> => {
      const [row] = await reads<DonationRow>(
        (bind) =>
          `select ${selected} from donations d ${withAlert} where d.streamer_id = ${bind(streamerId, "uuid")} and d.id = ${bind(donationId, "uuid")}`,
      );
      return row ? fromRow(row) : null;
    },

    /** Reads donations of the streamer that are not read yet, and returns all in this order. */
    findAll,

    /** Reads a keyset page: scans the index of the order from `after` on, until `limit` matches or `maxExamined` rows. */
    page: async (streamerId: string, request: PageRequest): Promise<Page> => {
      const { sort, filters, after, limit } = request;
      const order = orders[sort];
      // Without a range most rows of the scan are on the page, so that no other way is faster.
      if (order.column === "amount" && isRanged(filters)) return pageByAmount(streamerId, request);
      const rows = await reads<WalkedRow>(
        (bind) => `select ${selected}, d.matches, d.examined from (
           select *, ${filterConditionBy(bind, filters)} as matches, row_number() over (${orderBy(order)}) as examined
           from donations where ${scanConditionBy(bind, { streamerId, order, filters, after })} ${orderBy(order)} limit ${maxExamined}
         ) d ${withAlert}
         where d.streamer_id = ${bind(streamerId, "uuid")} and (d.matches or d.examined = ${maxExamined})
         ${orderBy(order, "d.")} limit ${bind(limit + 1, "integer")}`,
      );
      rows.sort((a, b) => a.examined - b.examined); // a batch returns them in no particular order
      return toPage(rows, order, limit);
    },

    sumNext: (streamerId: string, request: NextSumRequest) => sumNext(knex, streamerId, request),
    sumAll: (streamerId: string, sequences: readonly number[]) => sumAll(knex, streamerId, sequences),
  };
}

/** A match beyond the page means that there are more; the next page begins after the last examined row, matching or not. */
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
