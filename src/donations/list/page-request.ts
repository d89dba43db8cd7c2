// Reads which page of a list or a search is requested, from the parameters or from the cursor.

import { hash } from "node:crypto";
import { type Range, resolveRange } from "../../http/contract/parameters.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import type { OperationRequest, Schemas } from "../../http/operations.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import type { Channel, Source, StoredDonation } from "../donation.ts";

export type Sort = Schemas["DonationSort"];

/** The filters of a list, with every default filled in. */
export type Filters = Readonly<{
  range: Range;
  channels: readonly Channel[] | null;
  sources: readonly Source[];
  identifier: string | null;
  /** Of this donator alone; no parameter of the contract asks for it. */
  donatorKey?: string;
  minAmount: number | null;
  maxAmount: number | null;
  status: Schemas["DonationStatus"];
}>;

/** The donation after which a page begins. `value` is that of the sort column: milliseconds, or an exact decimal. */
export type Position = Readonly<{ value: number | string; sequence: number }>;

/** The page to read from the store. */
export type PageRequest = Readonly<{ sort: Sort; filters: Filters; q: string | null; after: Position | null; limit: number }>;

/** `last` is the last row that was examined, whether or not it is on the page. */
export type Page = Readonly<{ donations: readonly StoredDonation[]; last: Position | null; hasMore: boolean }>;

type ListQuery = OperationRequest<"listDonations">["query"];
type SearchQuery = OperationRequest<"searchDonations">["query"];
type PageQuery = ListQuery | SearchQuery;
/** The filter parameters of lists, searches and exports. One that the list or the search alone has does not compile before it is read. */
export type FilterQuery = Omit<ListQuery & SearchQuery, "sort" | "q" | "limit" | "cursor">;
type ListRequest = { query: PageQuery; given: readonly string[] };

/**
 * The content of a cursor. `asked`: a digest of each parameter of the first page, defaults filled in. The names are part of cursors that
 * clients hold: do not rename them.
 */
type CursorContent = { sort: Sort; filters: Filters; q: string | null; after: Position | null; asked: Record<string, string> };

type PageReader = { page: PageRequest; seal: (after: Position | null) => string };

const newestFirst: Sort = "-createdAt";
const pageParameters = ["limit", "cursor"];

/**
 * Reads the parameters of a list or a search. With a cursor the filters and range of its first page apply; other parameters may only repeat them.
 * `subject` binds cursors to one streamer and list. Throws invalid_cursor and invalid_range.
 */
export function readPage({ query, given }: ListRequest, cursors: CursorCodec, subject: string): PageReader {
  const content =
    query.cursor === undefined ? firstPage(query) : nextPage(query, given, cursors.open(subject, query.cursor) as CursorContent);
  const { asked: _asked, ...page } = content;
  return {
    page: { ...page, limit: query.limit },
    seal: (after) => cursors.seal(subject, { ...content, after } satisfies CursorContent),
  };
}

function firstPage(query: PageQuery): CursorContent {
  const { limit: _limit, cursor: _cursor, ...asked } = query;
  const sort = "sort" in query ? query.sort : newestFirst;
  return { sort, filters: readFilters(query), q: "q" in query ? (query.q ?? null) : null, after: null, asked: digests(asked) };
}

function nextPage(query: PageQuery, given: readonly string[], content: CursorContent): CursorContent {
  const now = digests(query);
  requireUnchanged(given.filter((name) => !pageParameters.includes(name) && now[name] !== content.asked[name]));
  return content;
}

/** Digests instead of values, so that a cursor stays short however long a parameter is. */
function digests(parameters: object): Record<string, string> {
  // The order of a list of sources or channels has no meaning.
  const normalise = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);
  const digest = (value: unknown) => hash("sha256", JSON.stringify(normalise(value)), "base64url").slice(0, 11);
  return Object.fromEntries(Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, digest(value)]])));
}

/** `changed`: the parameters that are not those of the first page. */
function requireUnchanged(changed: readonly string[]): void {
  if (changed.length === 0) return;
  const message = "must be what the cursor's first page was asked with, or be left out";
  const errors = changed.map((parameter): Fault => ({ parameter, code: "invalid_enum", message }));
  throw new Problem("invalid_cursor", errors.map(({ parameter }) => `${parameter} ${message}`).join("; "), { errors });
}

/** The filters that lists, searches and exports share. Throws invalid_range. */
export function readFilters(query: FilterQuery): Filters {
  const { from, to, timezone, channel = null, source, identifier = null, minAmount, maxAmount, status, ...others } = query;
  others satisfies Record<string, never>; // a filter of the contract that is not read here would be ignored
  return {
    range: resolveRange({ from, to, timezone, minAmount, maxAmount }),
    channels: channel,
    sources: source,
    identifier,
    minAmount: minAmount ?? null,
    maxAmount: maxAmount ?? null,
    status,
  };
}
