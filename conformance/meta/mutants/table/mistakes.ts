// Mistakes that the author of each operation could have made. The list was written from the server's code, without a look at the rules.

import { inContract, inSchema } from "../contract-edit.ts";
import type { Edit, Mutants } from "../mutant.ts";
import { alertMistakes } from "./alert-mistakes.ts";

const inDonations = (file: string, from: string, to: string): Edit => ({ file: `src/donations/${file}.ts`, from, to });
const inReports = (file: string, from: string, to: string): Edit => ({ file: `src/reports/${file}.ts`, from, to });
const inOauth = (file: string, from: string, to: string): Edit => ({ file: `src/oauth/${file}.ts`, from, to });
const inHttp = (file: string, from: string, to: string): Edit => ({ file: `src/http/${file}.ts`, from, to });

const donations: Mutants = {
  "replay-without-location": {
    broken: "a replay has no Location header",
    edit: inDonations(
      "handlers",
      'headers: { Location: location, "Idempotent-Replayed": "true" }',
      'headers: { "Idempotent-Replayed": "true" } as never',
    ),
    killedBy: [["donations/idempotency", /a replay carries the Location/]],
  },
  "identifier-of-nobody": {
    broken: 'an empty identifier is stored as ""',
    edit: inDonations("donation", "const identifier = input.identifier || null;", "const identifier = input.identifier ?? null;"),
    killedBy: [["donations/create-donation", /empty identifier is answered as null/]],
  },
  "to-inclusive": {
    broken: "a donation of exactly the instant `to` is listed",
    edit: inDonations("list/index-scan", "`created_at < from_millis(", "`created_at <= from_millis("),
    killedBy: [["donations/ranges", /not in the one that ends with it/]],
  },
  "cursor-of-the-other-list": {
    broken: "a list accepts the cursor of a search",
    edit: inDonations("handlers", "`searchDonations ${streamerId}`", "`listDonations ${streamerId}`"),
    killedBy: [["donations/cursors", /cursor of a list is refused by a search/]],
  },
  "one-channel-of-several": {
    broken: "only the first of several channels is filtered by",
    edit: inDonations("list/index-scan", 'bind(filters.channels, "text[]")', 'bind(filters.channels.slice(0, 1), "text[]")'),
    killedBy: [["donations/list-donations", /filter channel keeps the channels/]],
  },
  "equal-bounds-refused": {
    broken: "minAmount equal to maxAmount is refused",
    edit: inDonations("list/page-request", "minAmount > maxAmount)", "minAmount >= maxAmount)"),
    killedBy: [["donations/list-donations", /inclusive, to the double/]],
  },
  "cursor-by-order-of-channels": {
    broken: "a cursor is refused when the channels stand in another order",
    edit: inDonations("list/page-request", "Array.isArray(value) ? [...value].sort() : value", "value"),
    killedBy: [["donations/cursors", /lists in any order/]],
  },
  "poller-without-cursor": {
    broken: "the last page of a list by receivedAt has no cursor to go on from",
    edit: inDonations("handlers", "hasMore || isPollable ?", "hasMore ?"),
    killedBy: [["donations/paging", /a cursor only where receivedAt can be polled/]],
  },
  "poller-starts-over": {
    broken: "the cursor of an empty page begins at the start of the list",
    edit: inDonations("handlers", "seal(last ?? page.after)", "seal(last)"),
    killedBy: [["donations/paging", /an empty page/]],
  },
  "search-lower-case-only": {
    broken: "a search does not find ß by SS and ς by σ",
    edit: {
      file: "src/base/fold-text.ts",
      from: '.toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");',
      to: '.toLowerCase().normalize("NFKC");',
    },
    killedBy: [["donations/search-donations", /does not distinguish upper and lower case/]],
  },
  "search-trims": {
    broken: "a search ignores blanks at the ends of the text",
    edit: inDonations("search/search", "const term = foldPart(q);", "const term = foldPart(q.trim() || q);"),
    killedBy: [["donations/search-donations", /counts every blank/]],
  },
  "search-oldest-first": {
    broken: "donations of the same instant are found in the order of recording",
    edit: inDonations(
      "search/search",
      "return b.createdAt - a.createdAt || b.sequence - a.sequence;",
      "return b.createdAt - a.createdAt || a.sequence - b.sequence;",
    ),
    killedBy: [["donations/search-donations", /behind a long history/]],
  },
  "page-of-amounts-cut": {
    broken: "a list by amount of a range ends after its first page",
    edit: inDonations("list/amount-page", "hasMore: hasMoreMatches ||", "hasMore: (hasMoreMatches && limit < 1) ||"),
    killedBy: [["donations/paging", /all of a range/]],
  },
  "amounts-fall-in-ranges": {
    broken: "a list by amount of a range is in descending order only",
    edit: inDonations(
      "list/amount-page",
      "const query = { streamerId, order: orders[sort],",
      'const query = { streamerId, order: orders["-amount"],',
    ),
    killedBy: [["donations/paging", /all of a range/]],
  },
};

const files: Mutants = {
  "file-named-by-its-end": {
    broken: "the name of an exported file has the day after its last",
    edit: inDonations("export/export-donations", "_to_${day(to - 1)}.xlsx", "_to_${day(to)}.xlsx"),
    killedBy: [["donations/export-donations", /named by its range/]],
  },
  "file-of-one-batch": {
    broken: "an export ends after 500 donations",
    edit: inDonations("export/history", "rows.length === batchSize ||", "rows.length > batchSize ||"),
    killedBy: [["donations/export-donations", /more than a thousand donations/]],
  },
  "categories-in-thai": {
    broken: "categories are searched in their Thai names only",
    edit: { file: "src/donations/category-handlers.ts", from: " || fold(name.en).includes(term)", to: "" },
    killedBy: [["donations/list-streaming-categories", /Thai or English name contains it/]],
  },
  "etag-weak": {
    broken: "If-None-Match with a weak tag is not matched",
    edit: { file: "src/donations/category-handlers.ts", from: '.replace(/^W\\//, "")', to: "" },
    killedBy: [["donations/list-streaming-categories", /weak or as \*, is 304/]],
  },
};

const reports: Mutants = {
  "previous-month-by-calendar": {
    broken: "the period before this month begins a calendar month earlier",
    edit: inReports(
      "ranges",
      "const before = first - (after - first);",
      'const before = first === firstDayOf("month", today) && first < today && first > firstDayOf("year", today) ? firstDayOf("month", first - 1) : first - (after - first);',
    ),
    killedBy: [["reports/get-donation-stats", /period before each has as many days/]],
  },
  "periods-in-utc": {
    broken: "the periods of the stats are those of UTC",
    edit: inReports("ranges", "const zone = zoneOf(timezone);\n  const today", 'const zone = zoneOf("UTC");\n  const today'),
    killedBy: [["reports/get-donation-stats", /periods .* local/]],
  },
  "median-in-satang": {
    broken: "the median is rounded to satang",
    edit: inReports("handlers", "toNumber(half(plus(...found.middles)))", "ratio(plus(...found.middles), 2)"),
    killedBy: [["reports/get-donation-stats", /figures/]],
  },
  "average-of-nothing": {
    broken: "the average of no donations is 0",
    edit: { file: "src/db/decimal.ts", from: "if (divisor.units === 0n) return null;", to: "if (divisor.units === 0n) return 0;" },
    killedBy: [["reports/get-donation-stats", /without donations/]],
  },
  "name-first-used": {
    broken: "a top donator has the name that was used first",
    edit: inReports("queries/short-history", "name: latest.name,", "name: first.name,"),
    killedBy: [["reports/list-top-donators", /name of the latest donation/]],
  },
  "ranks-by-row": {
    broken: "equal donators have different ranks",
    edit: inReports("queries/short-history", "if (index > 0 && better(all[index - 1] as Sum, one) !== 0)", "if (index > 0)"),
    killedBy: [["reports/list-top-donators", /share a rank/]],
  },
  "last-donation-by-rank": {
    broken: "equal donators stand in the order of their keys, whoever donated last",
    edit: inReports("queries/short-history", "|| b.lastAt - a.lastAt ||", "||"),
    killedBy: [["reports/list-top-donators", /the one who donated last comes first/]],
  },
  "offset-without-minutes": {
    broken: "the label of an hour lacks the minutes of the offset",
    edit: inReports("calendar", "twoDigits(minutes % 60)", "twoDigits(0)"),
    killedBy: [["reports/bucket-labels", /hour/]],
  },
  "trend-of-31-days": {
    broken: "a trend without a range has 31 days",
    edit: inReports("ranges", "const trendDays = 30;", "const trendDays = 31;"),
    killedBy: [["reports/get-amount-trends", /default range of trends\/amount is the last 30 local days/]],
  },
  "breakdown-by-count": {
    broken: "channels are ordered by the number of their donations",
    edit: inReports("handlers", ".sort((a, b) => compare(b.total, a.total));", ".sort((a, b) => b.count - a.count);"),
    killedBy: [["reports/get-channel-breakdown", /the largest total first/]],
  },
  "cumulative-always": {
    broken: "the cumulative sum is answered although it was not asked for",
    edit: inReports("handlers", "query.cumulative ? toNumber(soFar) : null", "toNumber(soFar)"),
    killedBy: [["reports/get-amount-trends", /every bucket is answered/]],
  },
  "donators-not-different": {
    broken: "unique donators of a bucket are its donations",
    edit: inReports("handlers", "uniqueDonators: donators[index] ?? 0,", "uniqueDonators: found[index]?.count ?? 0,"),
    killedBy: [["reports/get-count-trends", /different donators/]],
  },
};

const access: Mutants = {
  "access-token-takes-grant": {
    broken: "revoking an access token ends the other access tokens of its grant",
    edit: inOauth("tokens/revoke", "denials.denyToken(jti, { streamerId, client: clientId })", "denials.deny([jti, claims.grant_id])"),
    killedBy: [["oauth/revoke-token", /an access token ends it alone/]],
  },
  "expires-in-milliseconds": {
    broken: "expires_in is in milliseconds",
    edit: inOauth("tokens/token", "expires_in: accessTokenLifetime,", "expires_in: accessTokenLifetime * 1000,"),
    killedBy: [["oauth/issue-token", /expires_in and scope/]],
  },
  "scope-twice": {
    broken: "a scope that is requested twice is answered twice",
    edit: inOauth("tokens/token", 'return [...new Set(requested)].join(" ");', 'return requested.join(" ");'),
    killedBy: [["oauth/issue-token-scopes", /same scopes twice/]],
  },
  "keys-share-a-limit": {
    broken: "all keys of a streamer share one bucket of a rate limit",
    edit: inHttp("guards", ": credential.id;", ": streamerId;"),
    killedBy: [["transport/rate-limits", /each credential has a bucket of its own/]],
  },
  "grant-id-not-denied": {
    broken: "a revoked refresh token leaves its access tokens good",
    edit: { file: "src/auth/verify-credential.ts", from: "ids: [claims.jti, claims.grant_id]", to: "ids: [claims.jti]" },
    killedBy: [["oauth/revoke-token", /a refresh token revokes its grant/]],
  },
  "instance-with-query": {
    broken: "the instance of a problem has the query string",
    edit: inHttp("middleware/problem-renderer", "instanceOf(ctx.path)", "instanceOf(ctx.url)"),
    killedBy: [["transport/problems", /its members say/]],
  },
  "tool-failure-as-success": {
    broken: "a tool that failed is answered as a success",
    edit: { file: "src/mcp/call.ts", from: "content: [text(document)], isError: true }", to: "content: [text(document)] }" },
    killedBy: [["mcp/mcp", /every fault of a tool's arguments/]],
  },
  "list-of-19": {
    broken: "a page has 19 donations unless limit is sent",
    edit: inSchema("PageParameters.limit", '"default": 20', '"default": 19'),
    killedBy: [["donations/list-donations", /limit is 20 unless/]],
  },
  "nesting-31": {
    broken: "a body of 32 levels is refused",
    edit: inContract('"x-max-nesting": 32', '"x-max-nesting": 31'),
    killedBy: [["donations/json-body", /32 nested levels is read/]],
  },
};

export const mistakes: Mutants = { ...donations, ...files, ...reports, ...alertMistakes, ...access };
