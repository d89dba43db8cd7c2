// The history page: all donations, searched, filtered and paged; their sum; and the workbook of those that pass.

import type { Sum, SumStep } from "../../donations/list/sum-found.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { asText } from "../../ui/html.ts";
import { currentReader } from "../../ui/reader.ts";
import { type PageHandler, seeOther } from "../../ui/serve-pages.ts";
import { heldAmong } from "../alerts/held-alerts.ts";
import { sources } from "../components/donation.ts";
import { readNumber, validationFaults } from "../components/fields.ts";
import { historyAddress, paths, readTrail } from "../paths.ts";
import type { Query } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { filterNames, type HistoryFilters, historyPage, sumLine } from "./history-page.ts";
import { findReversedDays } from "./spans.ts";

const donationsPerPage = 20;

/** GET /studio/history */
export const showHistory = (deps: StudioDeps): PageHandler => {
  const { accounts, client } = deps;
  return accounts.page(paths.history, async ({ account, query }) => {
    const typed = readFilters(query);
    const cursor = query.get("cursor");
    const page = { site: accounts.site, account, typed, cursor, trail: readTrail(query) };
    const filters = toQuery(typed);
    const request = { ...filters, limit: donationsPerPage, ...(cursor && { cursor }) };
    const { id } = account.streamer;
    try {
      const isSearch = typed.q !== "";
      client.check(isSearch ? "searchDonations" : "listDonations", { query: request, faults: findReversed(typed) });
      const [{ body: found }, sum] = await Promise.all([
        isSearch
          ? client.callWithinLimit(id, "searchDonations", { query: request })
          : client.callWithinLimit(id, "listDonations", { query: { ...request, sort: "-createdAt" } }),
        sumFound(deps, id, { typed, query: filters, from: query.get("sum") }),
      ]);
      const held = await heldAmong(deps, id, found.data);
      return historyPage({ ...page, found, sum, held, faults: {} });
    } catch (error) {
      if (error instanceof Problem && error.code === "invalid_cursor") return seeOther(accounts.site.path(historyAddress(typed)));
      const faults = validationFaults(error);
      if (!faults) throw error;
      return historyPage({ ...page, status: 400, found: null, sum: null, held: new Set(), faults });
    }
  });
};

/** GET /studio/history/sum: the sum of the page, continued, for its script. */
export const continueSum = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.history, async ({ account, query }) => {
    const { site } = deps.accounts;
    const typed = readFilters(query);
    try {
      const sum = await sumFound(deps, account.streamer.id, { typed, query: toQuery(typed), from: query.get("sum") });
      return { status: 200, html: asText(sumLine(sum, { site, typed, cursor: query.get("cursor"), trail: readTrail(query) })) };
    } catch (error) {
      if (!validationFaults(error) && !(error instanceof Problem && error.code === "invalid_cursor")) throw error;
      return seeOther(site.path(historyAddress(typed)));
    }
  });

/** GET /studio/history/export: a workbook. Faults of the filters lead back to the page, which names them. */
export const exportHistory = ({ accounts, client }: StudioDeps): PageHandler =>
  accounts.page(paths.history, async ({ account, query }) => {
    const typed = readFilters(query);
    try {
      const sent = { query: { ...toQuery(typed), sort: "-createdAt", language: currentReader().language } };
      return { status: 200, file: await client.callWithinLimit(account.streamer.id, "exportDonations", sent) };
    } catch (error) {
      if (!validationFaults(error)) throw error;
      return seeOther(accounts.site.path(historyAddress(typed)));
    }
  });

/** Days and amounts that are sound by themselves, and in the wrong order. */
function findReversed({ from, to, minAmount, maxAmount }: HistoryFilters): Fault[] {
  const [least, most] = [readNumber(minAmount), readNumber(maxAmount)];
  return [
    ...findReversedDays({ from, to }),
    ...(typeof least === "number" && typeof most === "number" && most < least
      ? [{ parameter: "maxAmount", code: "out_of_range" as const, message: "must not be below minAmount" }]
      : []),
  ];
}

function readFilters(query: URLSearchParams): HistoryFilters {
  return Object.fromEntries(filterNames.map((name) => [name, (query.get(name) ?? "").trim()])) as HistoryFilters;
}

/** Parameters of the contract's operations; empty fields are left out. */
function toQuery({ minAmount, maxAmount, channel, source, ...texts }: HistoryFilters): Query {
  return {
    timezone: currentReader().timeZone,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(minAmount && { minAmount: readNumber(minAmount) }),
    ...(maxAmount && { maxAmount: readNumber(maxAmount) }),
    ...(channel && { channel: [channel] }),
    ...(source && { source: source === "all" ? sources : [source] }),
  };
}

/** `query`: what lists the donations, with the days of its time zone. `from`: `next` of the sum that is continued; null for none. */
type SumRequest = Readonly<{ typed: HistoryFilters; query: Query; from: string | null }>;

/** Roll-ups know days, sources and channels, so these are summed up at once. For other filters a number of donations is read in each step. */
async function sumFound({ client, donations }: StudioDeps, streamerId: string, { typed, query, from }: SumRequest): Promise<SumStep> {
  if (!isRolledUp(typed)) return donations.sum(streamerId, query, from);
  const { body } = await client.callWithinLimit(streamerId, "getChannelBreakdown", { query: toReportQuery(query) });
  return { ...rolledUp(body.data, typed.channel), voided: null, next: null };
}

function isRolledUp({ q, minAmount, maxAmount, status, identifier }: HistoryFilters): boolean {
  return [q, minAmount, maxAmount, identifier].every((text) => text === "") && (status === "" || status === "active");
}

const reportParameters = ["timezone", "from", "to", "source"];

function toReportQuery(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => reportParameters.includes(name)));
}

function rolledUp({ total, count, channels }: Schemas["ChannelBreakdown"], channel: string): Sum {
  if (channel === "") return { total, count };
  const share = channels.find((one) => one.channel === channel);
  return { total: share?.total ?? 0, count: share?.count ?? 0 };
}
