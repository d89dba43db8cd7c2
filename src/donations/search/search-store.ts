// What a search reads: stretches of the history, and the blocks of the search index. Each statement reads a bounded number of donations.

import type { Knex } from "knex";
import { behind, matching, orderBy, orders, stretch } from "../index-scan.ts";
import type { Filters, Position } from "../page-request.ts";
import type { Searched } from "./search-text.ts";

/** A donation that keeps the filters; whether it holds the text is for the application to say. */
export type Candidate = Searched & { sequence: number; createdAt: number };

/** `last` is the last row looked at, candidate or not; null: the end was reached. */
export type Stretch = { candidates: Candidate[]; last: Position | null };

export type Block = { first: number; last: number; newest: number };

export type Era = { era: number; newest: number };

export type SearchStore = ReturnType<typeof searchStore>;

type Walked = Candidate & { matches: boolean; examined: number };

const order = orders["-createdAt"];
const candidate = `donator_name as "donatorName", message, identifier, sequence, to_millis(created_at) as "createdAt"`;

export function searchStore(knex: Knex) {
  return {
    /** The next `count` donations from `after` on, newest first. */
    walk: async (streamerId: string, filters: Filters, after: Position | null, count: number): Promise<Stretch> => {
      const walk = stretch(streamerId, order, filters, after);
      const match = matching(filters);
      const { rows } = await knex.raw<{ rows: Walked[] }>(
        `select * from (
           select ${candidate}, ${match.sql} as matches, row_number() over (${orderBy(order)}) as examined
           from donations where ${walk.sql} ${orderBy(order)} limit ?
         ) d where matches or examined = ? order by examined`,
        [...match.bindings, ...walk.bindings, count, count] as never,
      );
      const stopped = rows.at(-1)?.examined === count ? rows.at(-1) : undefined;
      return { candidates: rows.filter(({ matches }) => matches), last: stopped ? positionOf(stopped) : null };
    },

    /** Up to which sequence the streamer's donations are indexed; 0: none are. */
    indexedUpTo: async (streamerId: string): Promise<number> => {
      const { rows } = await knex.raw<{ rows: { last: number }[] }>(
        "select coalesce(max(last_sequence), 0) as last from donation_search_blocks where streamer_id = ?",
        [streamerId],
      );
      return rows[0]?.last ?? 0;
    },

    /** Eras that may reach behind `after`, those with the newest donations first. */
    eras: async (streamerId: string, after: Position, from: number | null, count: number): Promise<Era[]> => {
      const { rows } = await knex.raw<{ rows: Era[] }>(
        `select era, to_millis(newest) as newest from donation_search_eras e
         where streamer_id = ? and oldest <= from_millis(?) ${from === null ? "" : "and newest >= from_millis(?)"}
         order by e.newest desc limit ?`,
        [streamerId, after.value, ...(from === null ? [] : [from]), count] as never,
      );
      return rows;
    },

    /** Blocks with all grams of one of these lists that may reach behind `after`, those with the newest donations first. */
    blocks: async (
      streamerId: string,
      grams: readonly number[][],
      { upTo, after, from, count }: { upTo: number; after: Position; from: number | null; count: number },
    ): Promise<Block[]> => {
      const { rows } = await knex.raw<{ rows: Block[] }>(
        `select first_sequence as first, last_sequence as last, to_millis(newest) as newest
         from donation_search_candidates(?::int4[], ?) b
         where streamer_id = ? and last_sequence <= ? and oldest <= from_millis(?) ${from === null ? "" : "and newest >= from_millis(?)"}
         order by b.newest desc limit ?`,
        [grams.flat(), grams[0]?.length, streamerId, upTo, after.value, ...(from === null ? [] : [from]), count] as never,
      );
      return rows;
    },

    /** The donations of these blocks that come behind `after`. */
    ofBlocks: async (streamerId: string, blocks: readonly Block[], filters: Filters, after: Position): Promise<Candidate[]> => {
      const match = matching(filters);
      const position = behind(order, after);
      // The inner limit keeps the planner on the index by sequence.
      const { rows } = await knex.raw<{ rows: Candidate[] }>(
        `select ${candidate} from unnest(?::bigint[], ?::bigint[]) as b(first, last) cross join lateral (
           select * from donations where streamer_id = ? and sequence between b.first and b.last order by sequence limit b.last - b.first + 1
         ) d where ${match.sql} and ${position.sql}`,
        [blocks.map(({ first }) => first), blocks.map(({ last }) => last), streamerId, ...match.bindings, ...position.bindings] as never,
      );
      return rows;
    },

    /** The donations after `sequence` that come behind `after`; null when more than `count` come after `sequence`. */
    youngest: async (
      streamerId: string,
      sequence: number,
      filters: Filters,
      after: Position,
      count: number,
    ): Promise<Candidate[] | null> => {
      const match = matching(filters);
      const position = behind(order, after);
      const { rows } = await knex.raw<{ rows: Walked[] }>(
        `select * from (
           select ${candidate}, (${match.sql} and ${position.sql}) as matches, row_number() over (order by sequence) as examined
           from donations where streamer_id = ? and sequence > ? order by sequence limit ?
         ) d where matches or examined = ?`,
        [...match.bindings, ...position.bindings, streamerId, sequence, count + 1, count + 1] as never,
      );
      return rows.some(({ examined }) => examined > count) ? null : rows;
    },
  };
}

export function positionOf({ createdAt, sequence }: Candidate): Position {
  return { value: createdAt, sequence };
}
