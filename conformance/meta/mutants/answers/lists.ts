// Wrong answers of lists, searches, exports, imports and voids: rows that are missing, doubled, misplaced or somebody else's.

import { lengthsOf } from "../../../suite/contract/interface.ts";
import { at, events, jsonOf, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

const longest = lengthsOf("identifier").max;

type Donation = { id: string; amount: number; createdAt: string; identifier: string | null; voided: unknown };
const rows = (change: (rows: Donation[]) => Donation[]) => at<Donation[]>("data", change);
const parameter = (path: string, name: string): string | null => new URL(path, "http://server").searchParams.get(name);

/** A server that reads the first value of a parameter alone, or another one in its place. */
const firstOf = (name: string, change: (value: string) => string): Pick<WrongAnswer, "url"> => ({
  url: ({ searchParams }) => searchParams.has(name) && searchParams.set(name, change(String(searchParams.get(name)))),
});

export const lists: Mutants = {
  "page-shuffled": wrong({
    broken: "the donations of a page are in reverse order",
    on: "listDonations",
    answer: rows((all) => all.toReversed()),
    killedBy: [["donations/paging", /sort=createdAt > pages of any size show every donation once, in order/]],
  }),
  "page-repeats": wrong({
    broken: "the last donation of a page is answered twice",
    on: "listDonations",
    answer: rows((all) => all.concat(all.slice(-1))),
    killedBy: [["donations/paging", /sort=-amount > pages of any size show every donation once/]],
  }),
  "more-for-ever": wrong({
    broken: "hasMore is true on every page",
    on: "listDonations",
    answer: set("pagination", { hasMore: true }),
    killedBy: [["donations/paging", /holds all of its range is the last/]],
  }),
  "page-lost": wrong({
    broken: "the last donation of a page is missing in a list of a long range",
    on: "listDonations",
    when: (answer) => (jsonOf(answer)?.data as unknown[])?.length > 50,
    answer: rows((all) => all.slice(0, -1)),
    killedBy: [["reports/histories", /a list sorted by createdAt of a range of thousands/]],
  }),
  "tenants-cached": wrong({
    broken: "a list of one streamer is answered to another that asks the same",
    on: "listDonations",
    instead: async (request, send, memory) => {
      const known = memory.get(request.path);
      const answer = known ?? (await send(request));
      if (answer.status === 200) memory.set(request.path, answer);
      setTimeout(() => memory.delete(request.path), 1_000).unref();
      return answer;
    },
    killedBy: [["donations/two-streamers", /reads all of its own donations/]],
  }),
  stale: wrong({
    broken: "lists, searches and reports are answered as they were up to two seconds ago",
    on: "listDonations searchDonations getDonationStats listTopDonators getChannelBreakdown getAmountTrends getCountTrends",
    instead: async (request, send, memory) => {
      const key = `${request.headers.authorization} ${request.path}`;
      const answer = memory.get(key) ?? (await send(request));
      if (!memory.has(key)) setTimeout(() => memory.delete(key), 2_000).unref();
      memory.set(key, answer);
      return answer;
    },
    killedBy: [
      ["reports/reports", /stats counts each donation as soon as it was answered/],
      ["donations/repeated-questions", /a list that is asked again/],
    ],
  }),
  "maximum-excluded": wrong({
    broken: "a donation of exactly maxAmount is not listed",
    on: "listDonations",
    answer: at<Donation[]>("data", (all, { path }) => all.filter(({ amount }) => amount !== Number(parameter(path, "maxAmount") ?? -1))),
    killedBy: [["donations/list-donations", /inclusive, to the double/]],
  }),
  "identifier-filter-ignored": wrong({
    broken: "the filter identifier is ignored",
    on: "listDonations",
    url: ({ searchParams }) => searchParams.delete("identifier"),
    killedBy: [["donations/list-donations", /filter identifier matches exactly/]],
  }),
  "identifier-filter-cut": wrong({
    broken: "the filter identifier leaves the last possible character out",
    on: "listDonations",
    url: ({ searchParams }) => {
      const identifier = searchParams.get("identifier");
      const characters = [...(identifier ?? "")];
      if (characters.length >= longest - 1) searchParams.set("identifier", characters.slice(0, longest - 2).join(""));
    },
    killedBy: [["donations/round-trip", /the filter identifier finds each spelling/]],
  }),
  "list-of-19": wrong({
    broken: "a page has 19 donations unless limit is sent",
    on: "listDonations",
    url: ({ searchParams }) => searchParams.has("limit") || searchParams.has("cursor") || searchParams.set("limit", "19"),
    killedBy: [["donations/list-donations", /limit is 20 unless/]],
  }),
  "ids-in-capitals": wrong({
    broken: "a donation is found by its id in capitals",
    on: "getDonation",
    url: (url) => (url.pathname = url.pathname.toLowerCase()),
    killedBy: [["donations/list-donations", /an id in capitals/]],
  }),
  "texts-trimmed-elsewhere": wrong({
    broken: "searches, statistics and voids answer texts without the blanks around them",
    on: "searchDonations getDonationStats voidDonation",
    answer: at<string>("**", (text) => text.trim()),
    killedBy: [["donations/round-trip", /answers a donation answers its texts/]],
  }),
  "parameter-of-blanks": wrong({
    broken: "a limit with a blank before it is read",
    on: "listDonations",
    url: ({ searchParams }) => searchParams.has("limit") && searchParams.set("limit", String(searchParams.get("limit")).trim()),
    killedBy: [["donations/list-donations", /limit=%205 is refused/]],
  }),
  "cursor-of-anybody": wrong({
    broken: "a cursor with other filters is accepted",
    on: "listDonations",
    forgives: { status: 400, as: 200, read: () => "/api/v1/donations" },
    killedBy: [["donations/paging", /a cursor with another identifier is refused/]],
  }),
  "cursor-of-another-zone": wrong({
    broken: "a cursor with another time zone is accepted",
    on: "listDonations",
    url: ({ searchParams }) => searchParams.has("cursor") && searchParams.delete("timezone"),
    killedBy: [["donations/paging", /a cursor with another timezone is refused/]],
  }),
  "times-as-texts": wrong({
    broken: "createdAt is sorted as a text, so that offsets count for nothing",
    on: "listDonations",
    when: (_answer, { path }) => parameter(path, "sort") === "createdAt",
    answer: rows((all) => all.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : Number(one.createdAt > other.createdAt)))),
    killedBy: [["donations/list-donations", /stand in the order of their instants/]],
  }),
  "range-to-inclusive": wrong({
    broken: "the day that `to` names is left out",
    on: "listDonations",
    url: ({ searchParams }) => {
      const to = searchParams.get("to");
      if (to && /^\d{4}-\d\d-\d\d$/.test(to) && !to.startsWith("9999"))
        searchParams.set("to", new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10));
    },
    killedBy: [["donations/list-donations", /a day of Asia\/Bangkok, the default zone/]],
  }),
  "search-by-case": wrong({
    broken: "a search does not find a text in other letters",
    on: "searchDonations",
    answer: at<Donation[]>("data", (all, { path }) =>
      all.filter((one) => JSON.stringify(one).includes(JSON.stringify(parameter(path, "q")).slice(1, -1))),
    ),
    killedBy: [["donations/search-donations", /does not distinguish upper and lower case/]],
  }),
  "search-in-turkish": wrong({
    broken: "a search does not take I for the capital of i, as in Turkish",
    on: "searchDonations",
    ...firstOf("q", (q) => q.replaceAll("I", "ɪ")),
    killedBy: [["donations/search-donations", /does not distinguish upper and lower case/]],
  }),
  "search-of-the-seen": wrong({
    broken: "a search passes over zero-width blanks and soft hyphens",
    on: "searchDonations",
    ...firstOf("q", (q) => q.replace(/[\u00ad\u200b]/g, "")),
    killedBy: [["donations/search-donations", /characters that nobody sees/]],
  }),
  "search-in-bangkok": wrong({
    broken: "the days of a search are those of Bangkok, whatever timezone says",
    on: "searchDonations",
    ...firstOf("timezone", () => "Asia/Bangkok"),
    killedBy: [["donations/search-donations", /obeys the filters of the list/]],
  }),
  "search-of-one-channel": wrong({
    broken: "of several channels a search takes the first",
    on: "searchDonations",
    ...firstOf("channel", (channel) => channel),
    killedBy: [["donations/search-donations", /obeys the filters of the list/]],
  }),
  "search-trims": wrong({
    broken: "a search ignores blanks at the ends of the text",
    on: "searchDonations",
    url: ({ searchParams }) => searchParams.set("q", searchParams.get("q")?.trim() || " "),
    killedBy: [["donations/search-donations", /counts every blank/]],
  }),
  "file-named-by-today": wrong({
    broken: "an exported file is named by the present day",
    on: "exportDonations",
    headers: { "content-disposition": `attachment; filename="donations-${new Date().toISOString().slice(0, 10)}.xlsx"` },
    killedBy: [["donations/export-donations", /is an attachment, named by its range/]],
  }),
  "export-of-bangkok": wrong({
    broken: "the days of an export's range are those of Bangkok, whatever timezone says",
    on: "exportDonations",
    ...firstOf("timezone", () => "Asia/Bangkok"),
    killedBy: [["donations/export-donations", /whose days are those of timezone/]],
  }),
  "export-in-utc": wrong({
    broken: "an export shows its dates in UTC",
    on: "exportDonations",
    url: ({ searchParams }) => searchParams.has("timezone") && searchParams.set("timezone", "UTC"),
    killedBy: [["donations/export-donations", /in Asia\/Kathmandu as a date that reads/]],
  }),
  "import-alerts": wrong({
    broken: "imported donations raise alerts that nobody asked for",
    on: "importDonations",
    sent: at<object>("donations.*", (donation) => ({ skipAlert: false, ...donation })),
    killedBy: [["donations/import-donations", /JSON raises no alert unless skipAlert is false/]],
  }),
  "import-of-first-members": wrong({
    broken: "of a member that an imported donation has twice the first counts",
    on: "importDonations",
    bytes: (body) => Buffer.from(body.toString().replace('"amount":1,"amount":2', '"amount":1')),
    killedBy: [["donations/import-donations", /the last of two members with one name/]],
  }),
  "import-id-ignored": wrong({
    broken: "an import has a new id although the request names one",
    on: "importDonations",
    url: ({ searchParams }) => searchParams.delete("importId"),
    killedBy: [["donations/import-donations", /has the id that the request names/]],
  }),
  "import-faults-unnamed": wrong({
    broken: "the problem of an imported donation does not name its faults",
    on: "importDonations",
    answer: at("data.outcomes.*.problem.errors", () => undefined),
    lines: events((outcome) =>
      outcome.problem ? { ...outcome, problem: { ...(outcome.problem as object), errors: undefined } } : outcome,
    ),
    killedBy: [["donations/import-donations", /is refused for the faults that the single operation names/]],
  }),
  "lines-numbered-from-1": wrong({
    broken: "the outcomes of lines count from 1",
    on: "importDonations",
    lines: events((outcome) => (typeof outcome.index === "number" ? { ...outcome, index: outcome.index + 1 } : outcome)),
    killedBy: [["donations/import-donations", /thousands of lines are answered in their order/]],
  }),
  "lines-of-cr": wrong({
    broken: "a line that ends with CR LF has one character too many",
    on: "importDonations",
    bytes: (body) => Buffer.from(body.toString().replaceAll("\r\n", "?\n")),
    killedBy: [["donations/import-donations", /CR LF is judged/]],
  }),
  "undo-again-changes": wrong({
    broken: "an import that was undone is added to without a refusal",
    on: "importDonations",
    status: { 409: 200 },
    killedBy: [["donations/undo-import", /an import as JSON that was undone is refused with import_undone/]],
  }),
  "void-listed": wrong({
    broken: "lists contain void donations unasked",
    on: "listDonations",
    url: ({ searchParams }) => searchParams.has("status") || searchParams.has("cursor") || searchParams.set("status", "all"),
    killedBy: [["donations/void-donations-left-out", /list sorted by createdAt leaves void/]],
  }),
  "void-second-reason": wrong({
    broken: "voiding again for another reason is answered as if it was the same",
    on: "voidDonation",
    forgives: { status: 409, as: 200, read: (path) => path.replace(/\/void$/, "") },
    killedBy: [["donations/void-donation", /another reason is refused with already_voided/]],
  }),
  "void-with-note": wrong({
    broken: "the answer to a void shows the note",
    on: "voidDonation",
    answer: at("data.voided", (voided, request) => ({ ...(voided as object), note: jsonOf(request)?.note ?? null })),
    killedBy: [["donations/void-donation", /reason refund, with a note that no answer shows/]],
  }),
  "void-with-offset": wrong({
    broken: "voided.at is answered with an offset instead of Z",
    on: "voidDonation getDonation",
    answer: at<string>("data.voided.at", (time) => time.replace("Z", "+00:00")),
    killedBy: [["donations/void-donation", /that is voided stays as it was, with the time/]],
  }),
  "void-by-anybody": wrong({
    broken: "what another application has recorded is voided without a refusal",
    on: "voidDonation",
    forgives: { status: 404, as: 200, read: (path) => path.replace(/\/void$/, "") },
    killedBy: [["donations/void-donation", /can't void what another has recorded/]],
  }),
  "export-of-every-source": wrong({
    broken: "an export ignores the sources that it is asked for",
    on: "exportDonations",
    url: ({ searchParams }) => searchParams.delete("source"),
    killedBy: [["donations/export-donations", /keeps the sources that it names/]],
  }),
  "erasure-not-dry": wrong({
    broken: "a dry run of an erasure erases",
    on: "eraseDonator",
    sent: set("", { dryRun: false }),
    answer: set("data", { dryRun: true }),
    killedBy: [["donations/erase-donator", /dry run of an erasure counts/]],
  }),
  "erased-miscounted": wrong({
    broken: "an erasure counts one donation too few",
    on: "eraseDonator",
    answer: at<number>("data.donations", (count) => Math.max(0, count - 1)),
    killedBy: [["donations/erase-donator", /dry run of an erasure counts/]],
  }),
};
