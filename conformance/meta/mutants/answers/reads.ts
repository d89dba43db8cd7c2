// Wrong answers to what was recorded: texts that are cut, amounts that are rounded, and filters that are forgotten beside others; and to what is read beside it.

import { at, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

const cut = (text: unknown): unknown => (typeof text === "string" ? [...text].slice(0, 200).join("") : text);
const toSatang = (amount: number): number => Math.round(amount * 100) / 100;

/** A server that forgets a filter where the query has another one. */
const forgets = (filter: string, beside: string, value = /./): Pick<WrongAnswer, "on" | "url"> => ({
  on: "listDonations",
  url: ({ searchParams }) => value.test(searchParams.get(beside) ?? "") && searchParams.delete(filter),
});

const longestTexts: WrongAnswer["killedBy"] = [["donations/round-trip", /answers its longest texts whole/]];
const together: WrongAnswer["killedBy"] = [["donations/list-donations", /filters hold together/]];

export const reads: Mutants = {
  "found-messages-cut": wrong({
    broken: "a search answers the first 200 characters of a message",
    on: "searchDonations",
    answer: at("data.*.message", cut),
    killedBy: longestTexts,
  }),
  "latest-message-cut": wrong({
    broken: "the stats answer the first 200 characters of the latest message",
    on: "getDonationStats",
    answer: at("data.latest.message", cut),
    killedBy: longestTexts,
  }),
  "found-in-satang": wrong({
    broken: "a search answers amounts in whole satang",
    on: "searchDonations",
    answer: at<number>("data.*.amount", toSatang),
    killedBy: longestTexts,
  }),
  "found-when-received-later": wrong({
    broken: "a search answers receivedAt in the time of Bangkok, called UTC",
    on: "searchDonations",
    answer: at<string>("data.*.receivedAt", (time) => new Date(Date.parse(time) + 7 * 3_600_000).toISOString()),
    killedBy: longestTexts,
  }),
  "voided-in-satang": wrong({
    broken: "the amount of a donation that is voided is answered in whole satang",
    on: "voidDonation",
    answer: at<number>("data.amount", toSatang),
    killedBy: longestTexts,
  }),
  "told-messages-cut": wrong({
    broken: "events tell the first 200 characters of a message",
    on: "listEvents",
    answer: at("data.*.data.message", cut),
    killedBy: [["events/list-events", /a recorded donation is an event/]],
  }),
  "channels-in-satang": wrong({
    broken: "the total of a channel is rounded to satang",
    on: "getChannelBreakdown",
    answer: at<number>("data.channels.*.total", toSatang),
    killedBy: [["reports/get-channel-breakdown", /which has all of its decimals/]],
  }),
  "source-beside-from": wrong({
    broken: "a list of a range ignores the sources that it is asked for",
    ...forgets("source", "from"),
    killedBy: [["donations/list-donations", /filter source keeps/]],
  }),
  "minimum-by-amount": wrong({
    broken: "a list by amount ignores minAmount",
    ...forgets("minAmount", "sort", /amount/),
    killedBy: together,
  }),
  "range-by-arrival": wrong({
    broken: "a list in the order of recording ignores the end of its range",
    ...forgets("to", "sort", /receivedAt/),
    killedBy: together,
  }),
  "identifier-beside-amounts": wrong({
    broken: "a list of a range of amounts ignores the identifier",
    ...forgets("identifier", "maxAmount"),
    killedBy: together,
  }),
  "test-alert-without-words": wrong({
    broken: "a test alert has no message unless one is sent",
    on: "sendTestAlert",
    sent: (body) => (body && typeof body === "object" && !Array.isArray(body) ? { message: "", ...body } : body),
    killedBy: [["alerts/send-test-alert", /gets the contract's defaults/]],
  }),
  "category-languages-swapped": wrong({
    broken: "a category has its Thai name as the English one, and the other way round",
    on: "listStreamingCategories",
    answer: at<{ th: string; en: string }>("data.*.name", ({ th, en }) => ({ th: en, en: th })),
    killedBy: [["donations/list-streaming-categories", /with an id of its own and names in Thai and English/]],
  }),
  "search-states-20": wrong({
    broken: "every page of a search says that it was made with a limit of 20",
    on: "searchDonations",
    answer: at("pagination.limit", () => 20),
    killedBy: [["donations/search-donations", /pages of any size show every match once/]],
  }),
  "limit-beside-types": wrong({
    broken: "a page of events of some types has as many as by default, whatever limit says",
    on: "listEvents",
    url: ({ searchParams }) => searchParams.has("types") && searchParams.delete("limit"),
    killedBy: [["events/list-events", /page by page, every event comes once and in the order/]],
  }),
  "first-source-searched": wrong({
    broken: "of several sources a search takes the first",
    on: "searchDonations",
    url: ({ searchParams }) => searchParams.has("source") && searchParams.set("source", String(searchParams.get("source"))),
    killedBy: [["donations/search-donations", /obeys the filters of the list/]],
  }),
  "no-end-without-a-beginning": wrong({
    broken: "the end of a range counts only beside its beginning",
    on: "searchDonations getDonationStats listTopDonators getChannelBreakdown",
    url: ({ searchParams }) => !searchParams.has("from") && searchParams.delete("to"),
    killedBy: [
      ["donations/search-donations", /obeys the filters of the list/],
      ["reports/reports", /stats with to alone/],
    ],
  }),
  "trends-said-to-be-daily": wrong({
    broken: "trends say that their interval is the day",
    on: "getAmountTrends getCountTrends",
    answer: set("data", { interval: "day" }),
    killedBy: [
      ["reports/bucket-labels", /buckets of week in UTC/],
      ["reports/get-amount-trends", /same bounds as the amounts/],
    ],
  }),
};
