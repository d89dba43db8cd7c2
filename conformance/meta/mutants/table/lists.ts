// Mutants of lists, search and cursors.

import { inSchema } from "../contract-edit.ts";
import { cacheAnswers, changeAnswer, changeJson, isCreation } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";
import type { ProxiedRequest } from "../proxy.ts";

const inDonations = (file: string, from: string, to: string): Edit => ({ file: `src/donations/${file}.ts`, from, to });

const lists = ({ method, path }: ProxiedRequest): boolean => method === "GET" && path.startsWith("/api/v1/donations");

const inAnswerCache = (from: string, to: string) => ({ file: "src/db/cache/answer-cache.ts", from, to });

export const listsAndSearch: Mutants = {
  "foreign-row": {
    broken: "a donation of any streamer can be read by its id",
    edit: inDonations(
      "store",
      'where d.streamer_id = ${bind(streamerId, "uuid")} and d.id',
      'where (d.streamer_id = ${bind(streamerId, "uuid")} or true) and d.id',
    ),
    killedBy: [["donations/get-donation", /another streamer's donation is refused with donation_not_found/]],
  },
  "tenants-cached": {
    broken: "a cache gives one streamer's lists to another",
    interceptor: cacheAnswers((request) => (lists(request) ? request.path : null), 1_000),
    killedBy: [["donations/two-streamers", /reads all of its own donations/]],
  },
  "answers-cached-too-long": {
    broken: "a cached answer is sent although a donation was recorded since",
    edit: inAnswerCache("return entry?.version === version ? entry.answer", "return entry ? entry.answer"),
    killedBy: [["donations/repeated-questions", /has each donation that was answered meanwhile/]],
  },
  "answers-of-another-application": {
    broken: "a cached list is sent to every application of the streamer",
    edit: inDonations("handlers", "`${operation} ${applicationId} ${", "`${operation} ${"),
    killedBy: [["donations/repeated-questions", /see their own idempotency keys alone/]],
  },
  "answers-of-another-streamer": {
    broken: "a cached answer of one streamer is sent to another",
    edit: inAnswerCache("const key = `${streamerId} ${text}`;", "const key = text;"),
    killedBy: [["donations/two-streamers", /listDonations|list/]],
  },
  "batches-mixed-up": {
    broken: "reads that share a statement get each other's rows",
    edit: { file: "src/db/batched-reads.ts", from: "rows[row.call - 1]?.push", to: "rows[calls.length - row.call]?.push" },
    killedBy: [["donations/repeated-questions", /read at the same time are each answered to who asked/]],
  },
  "cursor-of-anybody": {
    broken: "a cursor is accepted for any streamer",
    edit: inDonations("handlers", "`listDonations ${streamerId}`", '"listDonations"'),
    killedBy: [["donations/cursors", /cursor of another streamer is refused with invalid_cursor/]],
  },
  "cursor-unsigned": {
    broken: "the signature of a cursor is not checked",
    edit: {
      file: "src/http/cursor.ts",
      from: "if (!genuine || !timingSafeEqual(bytes.subarray(0, macBytes), sign(subject, text))) throw",
      to: "if (!genuine) throw",
    },
    killedBy: [["donations/cursors", /one character changed/]],
  },
  "cursor-with-other-filters": {
    broken: "a cursor is accepted with other filters",
    edit: inDonations("list/page-request", "if (now === before) return;", "if (now === before || before !== null) return;"),
    killedBy: [["donations/cursors", /a cursor with another .* is refused/]],
  },
  "page-repeats": {
    broken: "the last donation of a page is repeated on the next page",
    edit: inDonations("list/index-scan", 'const way = descending ? "<" : ">";', 'const way = descending ? "<=" : ">=";'),
    killedBy: [["donations/paging", /every donation once, in order/]],
  },
  "page-skips": {
    broken: "donations of the same instant as the last one of a page are missing on the next page",
    edit: inDonations(
      "list/index-scan",
      'return `(${column}, sequence) ${way} (${key}, ${bind(sequence, "bigint")})`;',
      'return `(${column}) ${way} (${key}) and ${bind(sequence, "bigint")} > 0`;',
    ),
    killedBy: [["donations/paging", /every donation once, in order/]],
  },
  "more-for-ever": {
    broken: "every page has a nextCursor, also the last one",
    edit: inDonations("store", "hasMore: overfull || stoppedEarly", "hasMore: overfull || lastRow !== undefined"),
    killedBy: [["donations/paging", /holds all of its range is the last/]],
  },
  "page-shuffled": {
    broken: "the donations of a page are in reverse order",
    interceptor: changeAnswer((answer, request) => (lists(request) ? changeJson(answer, backwards) : answer)),
    killedBy: [["donations/paging", /in order/]],
  },
  "maximum-excluded": {
    broken: "a donation of exactly maxAmount is not listed",
    edit: inDonations("list/index-scan", "`amount <= ${", "`amount < ${"),
    killedBy: [["donations/list-donations", /inclusive, to the double/]],
  },
  "identifier-folded": {
    broken: "the filter identifier ignores case",
    edit: inDonations(
      "list/index-scan",
      "`identifier = ${bind(filters.identifier,",
      "`lower(identifier) = ${bind(filters.identifier.toLowerCase(),",
    ),
    killedBy: [["donations/list-donations", /filter identifier matches exactly/]],
  },
  "tests-listed": {
    broken: "lists contain test donations by default",
    edit: inSchema("DonationFilters.source", '"native"', '"native", "test"'),
    killedBy: [["donations/list-donations", /tests are not/]],
  },
  "bounds-of-parameters": {
    broken: "the maximum of a parameter is not checked",
    edit: {
      file: "src/http/contract/faults.ts",
      from: "return dropImpliedErrors(errors).map(",
      to: 'return dropImpliedErrors(errors).filter(({ keyword }) => keyword !== "maximum").map(',
    },
    killedBy: [
      ["donations/list-parameters", /is refused, and each fault is named/],
      ["derived/bounds", /listDonations/],
    ],
  },
  "unknown-parameters": {
    broken: "unknown parameters are ignored instead of refused",
    edit: {
      file: "src/http/contract/parameters.ts",
      from: "if (kind === undefined) faults.set(name, unknownParameter(name));",
      to: "if (kind === undefined) continue;",
    },
    killedBy: [["derived/unknown-parameters", /listDonations/]],
  },
  "search-by-case": {
    broken: "a search does not ignore case",
    edit: {
      file: "src/base/fold-text.ts",
      from: 'text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase()',
      to: 'text.normalize("NFKC")',
    },
    killedBy: [["donations/search-donations", /does not distinguish upper and lower case/]],
  },
  "search-decomposed": {
    broken: "a search for decomposed letters does not find composed ones",
    edit: {
      file: "src/base/fold-text.ts",
      from: 'text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC")',
      to: "text.toLowerCase().toUpperCase().toLowerCase()",
    },
    killedBy: [["donations/search-donations", /composed and decomposed/]],
  },
  "search-without-identifier": {
    broken: "a search does not search identifiers",
    edit: inDonations(
      "search/search-text",
      "searchedMembers.some((member) => foldPart(",
      'searchedMembers.some((member) => member !== "identifier" && foldPart(',
    ),
    killedBy: [["donations/search-donations", /in donatorName, message and identifier/]],
  },
  "written-twice": {
    broken: "a gateway sends a request twice when its answer is slow",
    interceptor: () => async (request, send) => {
      const first = await send(request);
      return isCreation(request) && first.status === 201 ? send(request) : first;
    },
    killedBy: [["donations/list-donations", /streamer and of no other/]],
  },
};

function backwards(value: unknown): unknown {
  const { data, ...others } = value as { data: unknown };
  return Array.isArray(data) ? { ...others, data: data.toReversed() } : value;
}
