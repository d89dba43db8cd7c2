// Adds up everything that a list or a search finds, in steps of a bounded number of donations, however long the history is.

import { hash } from "node:crypto";
import { decimal, decimalText, plus, toNumber } from "../../db/decimal.ts";
import type { ExactReads } from "../../db/exact-reads.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import type { Search } from "../search/search.ts";
import type { DonationStore } from "../store.ts";
import { type FilterQuery, type Filters, type Position, readFilters } from "./page-request.ts";
import type { PartSum } from "./sum-statements.ts";

/** The donations that count, and the void ones, which count nowhere. `total`: an exact decimal. */
type Sums = Readonly<Record<"counted" | "voided", PartSum>>;

export type Sum = Readonly<{ count: number; total: number }>;

/**
 * `voided`: null where the status leaves void donations out. `next`: continues the sum, which is that of all donations found so far; null when
 * it is complete.
 */
export type SumStep = Sum & Readonly<{ voided: Sum | null; next: string | null }>;

/** `query`: with the defaults of the contract. `from`: `next` of the step before, with the same query; null for the first step. */
type SumRequest = Readonly<{ query: FilterQuery & { q?: string | undefined }; from: string | null }>;

/** Throws invalid_cursor, which names the parameter `sum`, and invalid_range. */
export type SumFound = (streamerId: string, request: SumRequest) => Promise<SumStep>;

type Searching = { donations: DonationStore; search: Search };

/** `examined`: donations that a step without a text examines. `matches`: at which a step with a text ends; its search is bounded by itself. */
type Bounds = Readonly<{ examined: number; matches: number }>;

const defaultBounds: Bounds = { examined: 10_000, matches: 2_000 };

/** The content of a signed cursor: the sums of the donations up to `after`. */
type Progress = Sums & Readonly<{ after: Position | null }>;

const nothing: PartSum = { count: 0, total: "0" };
const start: Progress = { counted: nothing, voided: nothing, after: null };

/**
 * The steps go through the history like the pages of a list, from the latest createdAt on. So no donation is added twice, and none is missing that
 * was recorded before the first step. A donation that is recorded meanwhile is added if its place is still ahead. One that is voided meanwhile is
 * added as it was when its step examined it.
 */
export function sumFound(read: ExactReads<Searching>, cursors: CursorCodec, bounds = defaultBounds): SumFound {
  return async (streamerId, { query, from }) => {
    const { q, ...others } = query;
    const filters = readFilters(others);
    // The sum of other filters can't be continued: they are part of what is signed.
    const subject = `sum ${streamerId} ${hash("sha256", JSON.stringify([q, filters]), "base64url")}`;
    const before = from === null ? start : (cursors.open(subject, from, "sum") as Progress);
    const { sums, last } = await read(streamerId, (reader) =>
      q === undefined
        ? reader.donations.sumNext(streamerId, { filters, after: before.after, max: bounds.examined })
        : sumSearched(reader, streamerId, { q, filters, after: before.after, limit: bounds.matches }),
    );
    const [counted, voided] = [added(before.counted, sums.counted), added(before.voided, sums.voided)];
    const next = last && cursors.seal(subject, { counted, voided, after: last } satisfies Progress);
    return { ...toSum(counted), voided: filters.status === "active" ? null : toSum(voided), next };
  };
}

type SearchStep = Readonly<{ q: string; filters: Filters; after: Position | null; limit: number }>;

async function sumSearched({ donations, search }: Searching, streamerId: string, step: SearchStep) {
  const { found, last } = await search(streamerId, step);
  const sequences = found.map(({ sequence }) => sequence);
  return { sums: await donations.sumAll(streamerId, sequences), last };
}

function added(a: PartSum, b: PartSum): PartSum {
  return { count: a.count + b.count, total: decimalText(plus(decimal(a.total), decimal(b.total))) };
}

function toSum({ count, total }: PartSum): Sum {
  return { count, total: toNumber(decimal(total)) };
}
