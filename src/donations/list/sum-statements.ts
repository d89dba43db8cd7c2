// The statements that add up donations.

import type { Knex } from "knex";
import { filterCondition, orderBy, orders, scanCondition } from "./index-scan.ts";
import type { Filters, Position } from "./page-request.ts";

/** `total`: an exact decimal. */
export type PartSum = Readonly<{ count: number; total: string }>;

/** `last`: the last donation examined, found or not; null when there are no more. */
type NextSum = Readonly<{ sums: Readonly<Record<"counted" | "voided", PartSum>>; last: Position | null }>;

export type NextSumRequest = Readonly<{ filters: Filters; after: Position | null; max: number }>;

type SumRow = { counted: string; countedTotal: string; voided: string; voidedTotal: string };

const order = orders["-createdAt"];

const selectedSums = `count(*) filter (where voided_at is null)::text as counted,
  coalesce(sum(amount) filter (where voided_at is null), 0)::text as "countedTotal",
  count(*) filter (where voided_at is not null)::text as voided,
  coalesce(sum(amount) filter (where voided_at is not null), 0)::text as "voidedTotal"`;

/** Adds up those of the next `max` donations after the position that pass the filters, newest first. */
export async function sumNext(knex: Knex, streamerId: string, { filters, after, max }: NextSumRequest): Promise<NextSum> {
  const range = scanCondition({ streamerId, order, filters, after });
  const match = filterCondition(filters);
  const { rows } = await knex.raw<{ rows: (SumRow & { value: number | null; sequence: number | null })[] }>(
    `select ${selectedSums.replaceAll("where ", "where matches and ")},
       max(to_millis(created_at)) filter (where examined = ?) as value, max(sequence) filter (where examined = ?) as sequence
     from (
       select amount, voided_at, created_at, sequence, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
       from donations where ${range.sql} ${orderBy(order)} limit ?
     ) d`,
    [max, max, ...match.bindings, ...range.bindings, max],
  );
  const [row] = rows;
  const last = row && row.value !== null && row.sequence !== null ? { value: row.value, sequence: row.sequence } : null;
  return { sums: toSums(row), last };
}

/** Adds up donations of the streamer by their sequences. */
export async function sumAll(knex: Knex, streamerId: string, sequences: readonly number[]): Promise<NextSum["sums"]> {
  const { rows } = await knex.raw<{ rows: SumRow[] }>(`select ${selectedSums} from donations where streamer_id = ? and sequence = any(?)`, [
    streamerId,
    sequences,
  ]);
  return toSums(rows[0]);
}

function toSums(row: SumRow | undefined): NextSum["sums"] {
  return {
    counted: { count: Number(row?.counted ?? 0), total: row?.countedTotal ?? "0" },
    voided: { count: Number(row?.voided ?? 0), total: row?.voidedTotal ?? "0" },
  };
}
