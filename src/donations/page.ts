// A page of the history: what the caller asked for, or what its cursor carries.

import type { CursorCodec } from "../http/cursor.ts";
import type { OperationRequest, Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { type Range, resolveRange } from "../http/range.ts";
import type { Channel, Source, StoredDonation } from "./donation.ts";

export type Sort = Schemas["DonationSort"];

/** Which donations a list holds, everything resolved. */
export type Filters = Readonly<{
  range: Range;
  channels: readonly Channel[] | null;
  sources: readonly Source[];
  identifier: string | null;
  minAmount: number | null;
  maxAmount: number | null;
}>;

/** The donation a page starts behind. `value` is that of the sort column: milliseconds, or an exact decimal. */
export type Position = Readonly<{ value: number | string; sequence: number }>;

/** What the store is asked for. */
export type PageRequest = Readonly<{ sort: Sort; filters: Filters; after: Position | null; limit: number }>;

/** `last` is the last row that was looked at, whether or not it is on the page. */
export type Page = Readonly<{ donations: readonly StoredDonation[]; last: Position | null; hasMore: boolean }>;

type ListRequest = Pick<OperationRequest<"listDonations">, "query" | "given">;
type ListQuery = ListRequest["query"];
/** What a cursor holds. `asked` is its first page's parameters as they were sent, defaults filled in. */
type Carried = { sort: Sort; filters: Filters; after: Position | null; asked: Record<string, unknown> };

export type Reader = { page: PageRequest; seal: (after: Position | null) => string };

const defaultSources: readonly Source[] = ["external", "native"];
const ofThePage = ["limit", "cursor"];

/**
 * Reads a list's parameters. With a cursor its own filters and range hold; parameters beside it may only repeat them.
 * `subject` binds cursors to one streamer and list. Throws invalid_cursor and invalid_range.
 */
export function readPage({ query, given }: ListRequest, cursors: CursorCodec, subject: string): Reader {
  const carried = query.cursor === undefined ? firstPage(query) : (cursors.open(subject, query.cursor) as Carried);
  for (const name of given) if (!ofThePage.includes(name)) requireUnchanged(name, query[name as keyof ListQuery], carried.asked[name]);
  return {
    page: { sort: carried.sort, filters: carried.filters, after: carried.after, limit: query.limit },
    seal: (after) => cursors.seal(subject, { ...carried, after } satisfies Carried),
  };
}

function firstPage(query: ListQuery): Carried {
  const { limit: _limit, cursor: _cursor, ...asked } = query;
  return { sort: query.sort, filters: readFilters(query), after: null, asked };
}

function requireUnchanged(parameter: string, now: unknown, before: unknown): void {
  if (JSON.stringify(now) === JSON.stringify(before)) return;
  throw new Problem("invalid_cursor", `${parameter} is not what the cursor's first page was asked with.`);
}

export function readFilters(query: Omit<ListQuery, "limit" | "cursor" | "sort">): Filters {
  const { minAmount = null, maxAmount = null } = query;
  if (minAmount !== null && maxAmount !== null && minAmount > maxAmount)
    throw new Problem("invalid_range", "minAmount must not be above maxAmount.");
  return {
    range: resolveRange(query),
    channels: query.channel ?? null,
    sources: query.source ?? defaultSources,
    identifier: query.identifier ?? null,
    minAmount,
    maxAmount,
  };
}
