import { inSchema } from "../contract-edit.ts";
import { answering, creates, json, keeping } from "../meddlers.ts";
import type { Edit, Mutants } from "../mutant.ts";
import type { Asked } from "../proxy.ts";

const inDonations = (file: string, from: string, to: string): Edit => ({ file: `src/donations/${file}.ts`, from, to });

const lists = ({ method, path }: Asked): boolean => method === "GET" && path.startsWith("/api/v1/donations");

export const listsAndSearch: Mutants = {
  "foreign-row": {
    broken: "a donation of any streamer is read by its id",
    edit: inDonations("store", "where d.streamer_id = ? and d.id = ?", "where (d.streamer_id = ? or true) and d.id = ?"),
    killedBy: [["donations/get-donation", /another streamer's donation is donation_not_found/]],
  },
  "tenants-cached": {
    broken: "a cache gives one streamer's lists to another",
    meddler: keeping((asked) => (lists(asked) ? asked.path : null), 1_000),
    killedBy: [["donations/two-streamers", /listDonations|list/]],
  },
  "cursor-of-anybody": {
    broken: "a cursor goes with any streamer",
    edit: inDonations("handlers", "`listDonations ${streamerId}`", '"listDonations"'),
    killedBy: [["donations/cursors", /cursor of another streamer is invalid_cursor/]],
  },
  "cursor-unsigned": {
    broken: "a cursor is believed whatever it says",
    edit: {
      file: "src/http/cursor.ts",
      from: "if (!genuine || !timingSafeEqual(bytes.subarray(0, macBytes), sign(subject, text))) throw",
      to: "if (!genuine) throw",
    },
    killedBy: [["donations/cursors", /one character changed/]],
  },
  "cursor-with-other-filters": {
    broken: "filters may change between two pages",
    edit: inDonations("page-request", "if (now === before) return;", "if (now === before || before !== null) return;"),
    killedBy: [["donations/cursors", /does not go with another/]],
  },
  "page-repeats": {
    broken: "the last donation of a page is the first of the next",
    edit: inDonations("index-scan", 'const way = descending ? "<" : ">";', 'const way = descending ? "<=" : ">=";'),
    killedBy: [["donations/paging", /every donation once, in order/]],
  },
  "page-skips": {
    broken: "of donations of one instant those behind a page's end are left out",
    edit: inDonations(
      "index-scan",
      "return { sql: `(${column}, sequence) ${way} (${key}, ?)`,",
      "return { sql: `(${column}) ${way} (${key}) and ? > 0`,",
    ),
    killedBy: [["donations/paging", /every donation once, in order/]],
  },
  "more-for-ever": {
    broken: "there is always another page",
    edit: inDonations("store", "hasMore: overfull || stoppedEarly", "hasMore: overfull || lastRow !== undefined"),
    killedBy: [["donations/paging", /holds all of its range is the last/]],
  },
  "page-shuffled": {
    broken: "a page is sent backwards",
    meddler: answering((answer, asked) => (lists(asked) ? json(answer, backwards) : answer)),
    killedBy: [["donations/paging", /in order/]],
  },
  "maximum-excluded": {
    broken: "maxAmount excludes itself",
    edit: inDonations("index-scan", '"amount <= ?::numeric"', '"amount < ?::numeric"'),
    killedBy: [["donations/list-donations", /inclusive, to the double/]],
  },
  "identifier-folded": {
    broken: "identifiers are looked for in any case",
    edit: inDonations("index-scan", '"identifier = ?"', '"lower(identifier) = lower(?)"'),
    killedBy: [["donations/list-donations", /identifier keeps exactly that one/]],
  },
  "tests-listed": {
    broken: "lists hold test donations",
    edit: inSchema("DonationFilters.source", '"native"', '"native", "test"'),
    killedBy: [["donations/list-donations", /tests are not/]],
  },
  "bounds-of-parameters": {
    broken: "a parameter may be as large as it likes",
    edit: {
      file: "src/http/faults.ts",
      from: "return telling(errors).map(",
      to: 'return telling(errors).filter(({ keyword }) => keyword !== "maximum").map(',
    },
    killedBy: [
      ["donations/list-parameters", /is refused, and each fault is named/],
      ["derived/bounds", /listDonations/],
    ],
  },
  "unknown-parameters": {
    broken: "parameters that nobody knows are ignored",
    edit: {
      file: "src/http/parameters.ts",
      from: "if (kind === undefined) faults.set(name, unknownParameter(name));",
      to: "if (kind === undefined) continue;",
    },
    killedBy: [["derived/unknown-parameters", /listDonations/]],
  },
  "search-by-case": {
    broken: "a search finds a text in its own case only",
    edit: inDonations(
      "search/search-text",
      'text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ")',
      'text.normalize("NFC")',
    ),
    killedBy: [["donations/search-donations", /upper and lower case are one/]],
  },
  "search-decomposed": {
    broken: "a search does not find composed letters by decomposed ones",
    edit: inDonations(
      "search/search-text",
      'return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");',
      'return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");',
    ),
    killedBy: [["donations/search-donations", /composed and decomposed/]],
  },
  "search-without-identifier": {
    broken: "a search does not look at identifiers",
    edit: inDonations(
      "search/search-text",
      "(identifier !== null && foldText(identifier).includes(term))",
      "(identifier !== null && term === null)",
    ),
    killedBy: [["donations/search-donations", /in donatorName, message and identifier/]],
  },
  "written-twice": {
    broken: "a gateway sends what is slow to be answered twice",
    meddler: () => async (asked, send) => {
      const first = await send(asked);
      return creates(asked) && first.status === 201 ? send(asked) : first;
    },
    killedBy: [["donations/list-donations", /streamer and nobody else's/]],
  },
};

function backwards(value: unknown): unknown {
  const { data, ...others } = value as { data: unknown };
  return Array.isArray(data) ? { ...others, data: data.toReversed() } : value;
}
