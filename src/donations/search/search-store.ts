// The statements of a search: walks through the history, and the blocks of the search index. Each reads a bounded number of donations.

import type { Knex } from "knex";
import { type Bind, boundQuery } from "../../db/batched-reads.ts";
import { placed } from "../../db/citus/layout.ts";
import { afterConditionBy, filterConditionBy, orderBy, orders, scanConditionBy } from "../list/index-scan.ts";
import type { Filters, Position } from "../list/page-request.ts";
import { selected, withAlert } from "../rows.ts";
import { likelyBy } from "./likely.ts";
import { type Searched, searchedColumns } from "./search-text.ts";

/** A donation that passes the filters and may contain the term. Whether it does is decided by the caller. */
export type Candidate = Searched & { sequence: number; createdAt: number };

/** `last`: the last row examined, candidate or not; null when the walk reached the end of the history. `isLong`: it was as many as asked for. */
type WalkResult = { candidates: Candidate[]; last: Position | null; isLong: boolean };

/** Donations from one sequence to another. */
type Span = { first: number; last: number };

/** `newest`: its latest createdAt, in milliseconds since 1970. */
export type Block = Span & { newest: number };

export type Era = { era: number; newest: number };

/**
 * `upTo`: the sequence up to which the streamer's donations are indexed, 0 when none are. `unindexed`: those beyond; null when there are too
 * many. `eras`: the newest.
 */
type Indexed = { upTo: number; unindexed: Span | null; eras: Era[] };

export type SearchStore = ReturnType<typeof searchStore>;

/** `term`: folded. */
type Wanted = { term: string; filters: Filters };
/** `most`: the walk ends after as many candidates. `whole`: whether it reads all of them, and not what is compared alone. */
type WalkRequest = Wanted & { after: Position | null; count: number; most: number; whole: boolean };
/** `from`: the beginning of the range asked for, in milliseconds since 1970. */
type EraRequest = { after: Position; from: number | null; count: number };
type IndexRequest = EraRequest & { unindexed: number };
type BlockRequest = EraRequest & { upTo: number };
type SpanRequest = Wanted & { after: Position };
type WalkedRow = Candidate & { matches: boolean; examined: number };

const order = orders["-createdAt"];
const candidateColumns = `${searchedColumns}, d.sequence, to_millis(d.created_at) as "createdAt"`;

export function searchStore(knex: Knex) {
  return {
    walk: (streamerId: string, request: WalkRequest) => walk(knex, streamerId, request),
    indexed: (streamerId: string, request: IndexRequest) => findIndexed(knex, streamerId, request),
    blocks: (streamerId: string, grams: readonly number[][], request: BlockRequest) => findBlocks(knex, streamerId, grams, request),
    donationsOf: (streamerId: string, spans: readonly Span[], request: SpanRequest) => readSpans(knex, streamerId, spans, request),
  };
}

export function positionOf({ createdAt, sequence }: Candidate): Position {
  return { value: createdAt, sequence };
}

/** Examines the next donations after the position, newest first: `count`, or fewer when it has found `most` candidates. */
async function walk(knex: Knex, streamerId: string, { term, filters, after, count, most, whole }: WalkRequest): Promise<WalkResult> {
  const [columns, join] = whole ? [selected, withAlert] : [candidateColumns, ""];
  // In the order of the scan, so that it stops with the last row that is wanted.
  const rows = await boundQuery<WalkedRow>(
    knex,
    (bind) => `select ${columns}, d.matches, d.examined from (
       select *, (${likelyBy(bind, term)} and ${filterConditionBy(bind, filters)}) as matches, row_number() over (${orderBy(order)}) as examined
       from donations where ${scanConditionBy(bind, { streamerId, order, filters, after })} ${orderBy(order)} limit ${count}
     ) d ${join} where d.streamer_id = ${bind(streamerId, "uuid")} and (d.matches or d.examined = ${count}) ${orderBy(order, "d.")} limit ${bind(most, "integer")}`,
  );
  const end = rows.at(-1);
  const isLong = end?.examined === count;
  const last = end && (isLong || rows.length === most) ? positionOf(end) : null;
  return { candidates: rows.filter(({ matches }) => matches), last, isLong };
}

/** Eras that may have donations after the position, those with the newest donations first. */
async function findIndexed(knex: Knex, streamerId: string, { after, from, count, unindexed }: IndexRequest): Promise<Indexed> {
  const rows = await boundQuery<Omit<Indexed, "eras"> & { last: number; tooMany: boolean; era: number | null; newest: number }>(
    knex,
    (bind) => {
      const streamer = bind(streamerId, "uuid");
      return `select b."upTo", (select max(sequence) from donations where streamer_id = ${streamer}) as last,
         exists (select from donations where streamer_id = ${streamer} and sequence > b."upTo" order by sequence offset ${unindexed}) as "tooMany",
         e.era, to_millis(e.newest) as newest
       from (
         select coalesce(max(last_sequence), 0) as "upTo" from donation_search_blocks where streamer_id = ${streamer}
       ) b left join (
         select era, newest from donation_search_eras where streamer_id = ${streamer}
           and oldest <= from_millis(${bind(after.value, "bigint")}) ${from === null ? "" : `and newest >= from_millis(${bind(from, "bigint")})`}
         order by newest desc limit ${count}
       ) e on true order by e.newest desc`;
    },
  );
  const { upTo, last, tooMany } = rows[0] as (typeof rows)[0];
  const eras = rows.flatMap(({ era, newest }) => (era === null ? [] : { era, newest }));
  return { upTo, unindexed: tooMany ? null : { first: upTo + 1, last }, eras };
}

type Grams = readonly number[][];

/** Computed once and not for each row, so that a plan for any value costs as little as one that is made for this one. */
const instant = (bind: Bind, ms: Position["value"]) => `(select from_millis(${bind(ms, "bigint")}))`;

/** Blocks with all grams of one of the lists that may have donations after the position, those with the newest donations first. */
const findBlocks = placed({
  onServer: (knex, streamerId: string, grams: Grams, { upTo, after, from, count }: BlockRequest) =>
    boundQuery<Block>(
      knex,
      (bind) => `select first_sequence as first, last_sequence as last, to_millis(newest) as newest
       from donation_search_candidates(${bind(grams.flat(), "integer[]")}, ${bind(grams[0]?.length ?? 0, "integer")}) b
       where streamer_id = ${bind(streamerId, "uuid")} and last_sequence <= ${bind(upTo, "bigint")}
         and oldest <= ${instant(bind, after.value)} ${from === null ? "" : `and newest >= ${instant(bind, from)}`}
       order by b.newest desc limit ${count}`,
    ),
  onNodes: async (knex, streamerId: string, grams: Grams, { upTo, after, from, count }: BlockRequest) => {
    const { rows } = await knex.raw<{ rows: Block[] }>(
      "select * from find_search_blocks(?::uuid, ?::int4[], ?::integer, ?::bigint, ?::bigint, ?::bigint, ?::integer)",
      [streamerId, grams.flat(), grams[0]?.length ?? 0, upTo, from, after.value, count],
    );
    return rows;
  },
});

/** The candidates of these spans that come after the position. */
async function readSpans(
  knex: Knex,
  streamerId: string,
  spans: readonly Span[],
  { term, filters, after }: SpanRequest,
): Promise<Candidate[]> {
  const some = spans.filter(({ first, last }) => first <= last);
  if (some.length === 0) return [];
  const [firsts, lasts] = [some.map(({ first }) => first), some.map(({ last }) => last)];
  // The inner limit keeps the planner on the index by sequence. Arrays whose length it does not see are not planned for anew each time.
  return boundQuery<Candidate>(
    knex,
    (
      bind,
    ) => `select ${candidateColumns} from unnest((select ${bind(firsts, "bigint[]")}), (select ${bind(lasts, "bigint[]")})) as b(first, last) cross join lateral (
       select * from donations where streamer_id = ${bind(streamerId, "uuid")} and sequence between b.first and b.last
       order by sequence limit b.last - b.first + 1
     ) d where ${likelyBy(bind, term)} and ${afterConditionBy(bind, order, after)} and ${filterConditionBy(bind, filters)}`,
  );
}
