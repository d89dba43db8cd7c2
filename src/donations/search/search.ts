// One page of a search. It examines a bounded number of donations, whether the text is common, rare or absent:
//  1. the next few in order: a common text fills the page here;
//  2. those in the blocks that the index names, newest first, in a few eras, and those not indexed yet: a rare text is found here;
//  3. where the blocks overlap too much in time to tell what comes next, more of the history in order.

import { makeYield } from "../../base/async.ts";
import { foldPart } from "../../base/text.ts";
import type { Filters, Position } from "../list/page-request.ts";
import type { Block, Candidate, Era, SearchStore } from "./search-store.ts";
import { positionOf } from "./search-store.ts";
import { contains, queryGrams, type Searched } from "./search-text.ts";

/** `whole`: whether donations are to be read whole where that takes no further statement. */
type SearchRequest = Readonly<{ q: string; filters: Filters; after: Position | null; limit: number; whole?: boolean }>;

/** Donations in order. `last`: where the next page begins; null when there are no more. */
type SearchPage = { found: Candidate[]; last: Position | null };

export type Search = (streamerId: string, request: SearchRequest) => Promise<SearchPage>;

/** How much one page examines: donations in step 1; eras, blocks and unindexed donations in step 2; donations in step 3. */
export type Bounds = { first: number; eras: number; blocks: number; unindexed: number; more: number };

type IndexLookup = { streamerId: string; term: string; filters: Filters; after: Position };
type CandidatePage = { candidates: Candidate[]; last: Position | null };

const defaultBounds: Bounds = { first: 250, eras: 8, blocks: 8, unindexed: 1_000, more: 2_000 };

/** Newest first, this sequence comes before every donation of the same instant. */
const maxSequence = Number.MAX_SAFE_INTEGER;

export function makeSearch(store: SearchStore, bounds: Bounds = defaultBounds): Search {
  return async (streamerId, { q, filters, after, limit, whole = false }) => {
    const term = foldPart(q);
    const keepMatches = (candidates: readonly Candidate[]) => findMatches(candidates, term);

    const walk = async (from: Position | null, count: number, found: number) => {
      const start = await store.walk(streamerId, { term, filters, after: from, count, most: limit + 1 - found, whole });
      const matches = await keepMatches(start.candidates);
      if (start.last === null || start.isLong || found + matches.length > limit) return { matches, last: start.last };
      // Donations that only may have contained the text have stopped it: here they may be all.
      const rest = await store.walk(streamerId, { term, filters, after: start.last, count, most: count, whole: false });
      return { matches: [...matches, ...(await keepMatches(rest.candidates))], last: rest.last };
    };
    const { matches, last } = await walk(after, bounds.first, 0);
    if (matches.length > limit || last === null) return toPage(matches, limit, last);

    // A text this common fills the page in step 3; for such a text the index would name a block for every 256 donations of the history.
    const isCommon = matches.length * (bounds.more / bounds.first) > limit - matches.length;
    const indexed = isCommon ? null : await searchIndex(store, bounds, { streamerId, term, filters, after: last });
    if (indexed) return toPage([...matches, ...(await keepMatches(indexed.candidates))], limit, indexed.last);

    const more = await walk(last, bounds.more, matches.length);
    return toPage([...matches, ...more.matches], limit, more.last);
  };
}

/** Folding thousands of the longest texts takes a second, in which others are served. */
export async function findMatches<One extends Searched>(candidates: readonly One[], term: string): Promise<One[]> {
  const matches: One[] = [];
  const letOthers = makeYield();
  for (const candidate of candidates) {
    await letOthers();
    if (contains(candidate, term)) matches.push(candidate);
  }
  return matches;
}

/** All candidates between `after` and `last` by the index; null when the index cannot tell. */
async function searchIndex(
  store: SearchStore,
  bounds: Bounds,
  { streamerId, term, filters, after }: IndexLookup,
): Promise<CandidatePage | null> {
  const { from } = filters.range;
  const { upTo, unindexed, eras } = await store.indexed(streamerId, { after, from, count: bounds.eras + 1, unindexed: bounds.unindexed });
  if (upTo === 0 || unindexed === null) return null;
  const { blocks, last } = await findNewestBlocks(eras, bounds, (someEras) => {
    const grams = someEras.map(({ era }) => queryGrams(streamerId, era, term));
    return store.blocks(streamerId, grams, { upTo, after, from, count: bounds.blocks + 1 });
  });
  if (last && last.value >= after.value) return null;
  const candidates = await store.donationsOf(streamerId, [...blocks, unindexed], { term, filters, after });
  const between = candidates.filter(({ createdAt }) => !last || createdAt > Number(last.value));
  return { candidates: between.sort(newestFirst), last };
}

/**
 * The first blocks, of the newest era alone when that has enough. `last`: where the blocks that were not looked up begin; null when
 * there are no more.
 */
async function findNewestBlocks(
  eras: readonly Era[],
  bounds: Bounds,
  findBlocks: (someEras: readonly Era[]) => Promise<Block[]>,
): Promise<{ blocks: Block[]; last: Position | null }> {
  const blocks: Block[] = [];
  let eraCount = 0;
  while (eraCount < Math.min(eras.length, bounds.eras) && blocks.length <= bounds.blocks) {
    const someEras = eras.slice(eraCount, eraCount === 0 ? 1 : bounds.eras);
    blocks.push(...(await findBlocks(someEras)));
    eraCount += someEras.length;
  }
  blocks.sort((a, b) => b.newest - a.newest);
  const beyond = [blocks[bounds.blocks], eras[eraCount]].flatMap((next) => next?.newest ?? []);
  const last: Position | null = beyond.length > 0 ? { value: Math.max(...beyond), sequence: maxSequence } : null;
  return { blocks: blocks.slice(0, bounds.blocks), last };
}

function toPage(matches: readonly Candidate[], limit: number, last: Position | null): SearchPage {
  const page = matches.slice(0, limit);
  const hasMoreMatches = matches.length > limit;
  return { found: page, last: hasMoreMatches ? positionOf(page.at(-1) as Candidate) : last };
}

function newestFirst(a: Candidate, b: Candidate): number {
  return b.createdAt - a.createdAt || b.sequence - a.sequence;
}
