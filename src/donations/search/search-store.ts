// The statements of a search: walks through the history, and the blocks of the search index. Each reads a bounded number of donations.

import type { Knex } from "knex";
import { placed } from "../../db/citus/layout.ts";
import { afterCondition, filterCondition, orderBy, orders, scanCondition } from "../list/index-scan.ts";
import type { Filters, Position } from "../list/page-request.ts";
import { type Searched, searchedColumns } from "./search-text.ts";

/** A donation that passes the filters. Whether it contains the text is decided by the caller. */
export type Candidate = Searched & { sequence: number; createdAt: number };

/** `last`: the last row examined, candidate or not; null when the walk reached the end of the history. */
type WalkResult = { candidates: Candidate[]; last: Position | null };

/** `first` and `last`: its sequences. `newest`: its latest createdAt, in milliseconds since 1970. */
export type Block = { first: number; last: number; newest: number };

export type Era = { era: number; newest: number };

export type SearchStore = ReturnType<typeof searchStore>;

type WalkRequest = { filters: Filters; after: Position | null; count: number };
/** `from`: the beginning of the range asked for, in milliseconds since 1970. */
type EraRequest = { after: Position; from: number | null; count: number };
type BlockRequest = EraRequest & { upTo: number };
type BlockRowsRequest = { filters: Filters; after: Position };
type UnindexedRequest = BlockRowsRequest & { upTo: number; count: number };
type WalkedRow = Candidate & { matches: boolean; examined: number };

const order = orders["-createdAt"];
const candidateColumns = `${searchedColumns}, sequence, to_millis(created_at) as "createdAt"`;

export function searchStore(knex: Knex) {
  return {
    walk: (streamerId: string, request: WalkRequest) => walk(knex, streamerId, request),
    indexedUpTo: (streamerId: string) => readIndexedUpTo(knex, streamerId),
    eras: (streamerId: string, request: EraRequest) => findEras(knex, streamerId, request),
    blocks: (streamerId: string, grams: readonly number[][], request: BlockRequest) => findBlocks(knex, streamerId, grams, request),
    donationsOf: (streamerId: string, blocks: readonly Block[], request: BlockRowsRequest) => readBlocks(knex, streamerId, blocks, request),
    unindexed: (streamerId: string, request: UnindexedRequest) => readUnindexed(knex, streamerId, request),
  };
}

export function positionOf({ createdAt, sequence }: Candidate): Position {
  return { value: createdAt, sequence };
}

/** Examines the next `count` donations after the position, newest first. */
async function walk(knex: Knex, streamerId: string, { filters, after, count }: WalkRequest): Promise<WalkResult> {
  const range = scanCondition({ streamerId, order, filters, after });
  const match = filterCondition(filters);
  const { rows } = await knex.raw<{ rows: WalkedRow[] }>(
    `select * from (
       select ${candidateColumns}, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
       from donations where ${range.sql} ${orderBy(order)} limit ?
     ) d where matches or examined = ? order by examined`,
    [...match.bindings, ...range.bindings, count, count],
  );
  const stopped = rows.at(-1)?.examined === count ? rows.at(-1) : undefined;
  return { candidates: rows.filter(({ matches }) => matches), last: stopped ? positionOf(stopped) : null };
}

/** The sequence up to which the streamer's donations are indexed; 0 when none are. */
async function readIndexedUpTo(knex: Knex, streamerId: string): Promise<number> {
  const { rows } = await knex.raw<{ rows: { last: number }[] }>(
    "select coalesce(max(last_sequence), 0) as last from donation_search_blocks where streamer_id = ?",
    [streamerId],
  );
  return rows[0]?.last ?? 0;
}

/** Eras that may have donations after the position, those with the newest donations first. */
async function findEras(knex: Knex, streamerId: string, { after, from, count }: EraRequest): Promise<Era[]> {
  const { rows } = await knex.raw<{ rows: Era[] }>(
    `select era, to_millis(newest) as newest from donation_search_eras e
     where streamer_id = ? and oldest <= from_millis(?) ${from === null ? "" : "and newest >= from_millis(?)"}
     order by e.newest desc limit ?`,
    [streamerId, after.value, ...(from === null ? [] : [from]), count],
  );
  return rows;
}

type Grams = readonly number[][];

/** Blocks with all grams of one of the lists that may have donations after the position, those with the newest donations first. */
const findBlocks = placed({
  onServer: async (knex, streamerId: string, grams: Grams, { upTo, after, from, count }: BlockRequest) => {
    const { rows } = await knex.raw<{ rows: Block[] }>(
      `select first_sequence as first, last_sequence as last, to_millis(newest) as newest
     from donation_search_candidates(?::int4[], ?) b
     where streamer_id = ? and last_sequence <= ? and oldest <= from_millis(?) ${from === null ? "" : "and newest >= from_millis(?)"}
     order by b.newest desc limit ?`,
      [grams.flat(), grams[0]?.length ?? 0, streamerId, upTo, after.value, ...(from === null ? [] : [from]), count],
    );
    return rows;
  },
  onNodes: async (knex, streamerId: string, grams: Grams, { upTo, after, from, count }: BlockRequest) => {
    const { rows } = await knex.raw<{ rows: Block[] }>(
      "select * from find_search_blocks(?::uuid, ?::int4[], ?::integer, ?::bigint, ?::bigint, ?::bigint, ?::integer)",
      [streamerId, grams.flat(), grams[0]?.length ?? 0, upTo, from, after.value, count],
    );
    return rows;
  },
});

/** The donations of these blocks that come after the position. */
async function readBlocks(
  knex: Knex,
  streamerId: string,
  blocks: readonly Block[],
  { filters, after }: BlockRowsRequest,
): Promise<Candidate[]> {
  const match = filterCondition(filters);
  const position = afterCondition(order, after);
  // The inner limit keeps the planner on the index by sequence.
  const { rows } = await knex.raw<{ rows: Candidate[] }>(
    `select ${candidateColumns} from unnest(?::bigint[], ?::bigint[]) as b(first, last) cross join lateral (
       select * from donations where streamer_id = ? and sequence between b.first and b.last order by sequence limit b.last - b.first + 1
     ) d where ${match.sql} and ${position.sql}`,
    [blocks.map(({ first }) => first), blocks.map(({ last }) => last), streamerId, ...match.bindings, ...position.bindings],
  );
  return rows;
}

/** Donations with a sequence above `upTo` that come after the position; null when the streamer has more than `count` above `upTo`. */
async function readUnindexed(
  knex: Knex,
  streamerId: string,
  { upTo, filters, after, count }: UnindexedRequest,
): Promise<Candidate[] | null> {
  const match = filterCondition(filters);
  const position = afterCondition(order, after);
  const { rows } = await knex.raw<{ rows: WalkedRow[] }>(
    `select * from (
       select ${candidateColumns}, (${match.sql} and ${position.sql}) as matches, row_number() over (order by sequence) as examined
       from donations where streamer_id = ? and sequence > ? order by sequence limit ?
     ) d where matches or examined = ?`,
    [...match.bindings, ...position.bindings, streamerId, upTo, count + 1, count + 1],
  );
  return rows.some(({ examined }) => examined > count) ? null : rows;
}
