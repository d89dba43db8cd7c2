// A page of the history or of a search: what the caller asked for, or what its cursor carries.

import { createHash } from "node:crypto";
import type { CursorCodec } from "../http/cursor.ts";
import type { OperationRequest, Schemas } from "../http/operations.ts";
import { type Fault, Problem } from "../http/problem.ts";
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
export type PageRequest = Readonly<{ sort: Sort; filters: Filters; q: string | null; after: Position | null; limit: number }>;

/** `last` is the last row that was looked at, whether or not it is on the page. */
export type Page = Readonly<{ donations: readonly StoredDonation[]; last: Position | null; hasMore: boolean }>;

type ListQuery = OperationRequest<"listDonations">["query"];
type SearchQuery = OperationRequest<"searchDonations">["query"];
type PageQuery = ListQuery | SearchQuery;
/** What lists, searches and exports have in common. */
export type FilterQuery = Omit<SearchQuery, "q" | "limit" | "cursor">;
type Asking = { query: PageQuery; given: readonly string[] };

/** What a cursor holds. `asked` is a digest of each of its first page's parameters, defaults filled in. */
type Carried = { sort: Sort; filters: Filters; q: string | null; after: Position | null; asked: Record<string, string> };

export type Reader = { page: PageRequest; seal: (after: Position | null) => string };

const newestFirst: Sort = "-createdAt";
const ofThePage = ["limit", "cursor"];

/**
 * Reads the parameters of a list or a search. With a cursor its own filters and range hold; parameters beside it may only repeat them.
 * `subject` binds cursors to one streamer and list. Throws invalid_cursor and invalid_range.
 */
export function readPage({ query, given }: Asking, cursors: CursorCodec, subject: string): Reader {
  const carried = query.cursor === undefined ? firstPage(query) : (cursors.open(subject, query.cursor) as Carried);
  const now = digests(query);
  for (const name of given) if (!ofThePage.includes(name)) requireUnchanged(name, now[name], carried.asked[name]);
  const { asked: _asked, ...page } = carried;
  return {
    page: { ...page, limit: query.limit },
    seal: (after) => cursors.seal(subject, { ...carried, after } satisfies Carried),
  };
}

function firstPage(query: PageQuery): Carried {
  const { limit: _limit, cursor: _cursor, ...asked } = query;
  const sort = "sort" in query ? query.sort : newestFirst;
  return { sort, filters: readFilters(query), q: "q" in query ? (query.q ?? null) : null, after: null, asked: digests(asked) };
}

/** Digests, so that a cursor stays short, however long a parameter is written. */
function digests(parameters: object): Record<string, string> {
  // The order of a list of sources or channels says nothing.
  const plain = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);
  const digest = (value: unknown) =>
    createHash("sha256")
      .update(JSON.stringify(plain(value)))
      .digest("base64url")
      .slice(0, 11);
  return Object.fromEntries(Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, digest(value)]])));
}

function requireUnchanged(parameter: string, now: string | undefined, before: string | undefined): void {
  if (now === before) return;
  const fault: Fault = { parameter, code: "invalid_enum", message: "must be what the cursor's first page was asked with, or be left out" };
  throw new Problem("invalid_cursor", `${parameter} is not what the cursor's first page was asked with.`, { errors: [fault] });
}

/** The filters that lists, searches and exports share. Throws invalid_range. */
export function readFilters(query: FilterQuery): Filters {
  const { minAmount = null, maxAmount = null } = query;
  const faults: Fault[] = [];
  if (minAmount !== null && maxAmount !== null && minAmount > maxAmount)
    faults.push({ parameter: "maxAmount", code: "out_of_range", message: "must not be below minAmount" });
  return {
    range: resolveRange(query, faults),
    channels: query.channel ?? null,
    sources: query.source,
    identifier: query.identifier ?? null,
    minAmount,
    maxAmount,
  };
}
