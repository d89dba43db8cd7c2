// One page of a search. It looks at a bounded number of donations, whether the text is common, rare or absent:
//  1. the next few in order: a common text fills the page here;
//  2. those that the index points to, newest blocks first, in a few eras, and those too young to be in it: a rare text is found here;
//  3. where the blocks overlap too much in time to tell what comes next, more of the history in order.

import type { Filters, Position } from "../page-request.ts";
import type { Block, Candidate, Era, SearchStore } from "./search-store.ts";
import { positionOf } from "./search-store.ts";
import { contains, foldText, gramsAsked } from "./search-text.ts";

export type SearchRequest = Readonly<{ q: string; filters: Filters; after: Position | null; limit: number }>;

/** Donations in order, by their sequences. `last` is where to go on; null: there is no more. */
export type Found = { sequences: number[]; last: Position | null };

export type Search = (streamerId: string, request: SearchRequest) => Promise<Found>;

/** How much one page looks at: donations in step 1, eras, blocks and young donations in step 2, donations in step 3. */
export type Bounds = { first: number; eras: number; blocks: number; young: number; more: number };

const defaultBounds: Bounds = { first: 250, eras: 8, blocks: 8, young: 1_000, more: 2_000 };

/** Behind every donation of its instant. */
const first = Number.MAX_SAFE_INTEGER;

export function makeSearch(store: SearchStore, bounds: Bounds = defaultBounds): Search {
  return async (streamerId, { q, filters, after, limit }) => {
    const term = foldText(q);
    const holding = (candidates: readonly Candidate[]) => candidates.filter((one) => contains(one, term));

    const start = await store.walk(streamerId, filters, after, bounds.first);
    const found = holding(start.candidates);
    if (found.length > limit || start.last === null) return pageOf(found, limit, start.last);

    // A text this common is found on the way; asking the index would bring a block for every 256 donations of the history.
    const common = found.length * (bounds.more / bounds.first) > limit - found.length;
    const pointed = common ? null : await lookUp(streamerId, term, filters, start.last);
    if (pointed) return pageOf([...found, ...holding(pointed.candidates)], limit, pointed.last);

    const rest = await store.walk(streamerId, filters, start.last, bounds.more);
    return pageOf([...found, ...holding(rest.candidates)], limit, rest.last);
  };

  /** All candidates between `after` and `last`, by the index; null where it can't tell. */
  async function lookUp(streamerId: string, term: string, filters: Filters, after: Position) {
    const upTo = await store.indexedUpTo(streamerId);
    if (upTo === 0) return null;
    const [eras, young] = await Promise.all([
      store.eras(streamerId, after, filters.range.from, bounds.eras + 1),
      store.youngest(streamerId, upTo, filters, after, bounds.young),
    ]);
    const { blocks, last } = await pointedTo(eras, (some) => {
      const grams = some.map(({ era }) => gramsAsked(streamerId, era, term));
      return store.blocks(streamerId, grams, { upTo, after, from: filters.range.from, count: bounds.blocks + 1 });
    });
    if (young === null || (last && last.value >= after.value)) return null;
    const indexed = await store.ofBlocks(streamerId, blocks, filters, after);
    const between = [...indexed, ...young].filter(({ createdAt }) => !last || createdAt > Number(last.value));
    return { candidates: between.sort(newestFirst), last };
  }

  /** The first blocks, of the newest era alone if that has enough; `last`: where what was not asked for begins, null: there is no more. */
  async function pointedTo(eras: readonly Era[], ask: (some: readonly Era[]) => Promise<Block[]>) {
    const found: Block[] = [];
    let asked = 0;
    while (asked < Math.min(eras.length, bounds.eras) && found.length <= bounds.blocks) {
      const some = eras.slice(asked, asked === 0 ? 1 : bounds.eras);
      found.push(...(await ask(some)));
      asked += some.length;
    }
    found.sort((a, b) => b.newest - a.newest);
    const beyond = [found[bounds.blocks], eras[asked]].flatMap((one) => one?.newest ?? []);
    const last: Position | null = beyond.length > 0 ? { value: Math.max(...beyond), sequence: first } : null;
    return { blocks: found.slice(0, bounds.blocks), last };
  }
}

function pageOf(found: readonly Candidate[], limit: number, last: Position | null): Found {
  const page = found.slice(0, limit);
  const overfull = found.length > limit;
  return { sequences: page.map(({ sequence }) => sequence), last: overfull ? positionOf(page.at(-1) as Candidate) : last };
}

function newestFirst(a: Candidate, b: Candidate): number {
  return b.createdAt - a.createdAt || b.sequence - a.sequence;
}
