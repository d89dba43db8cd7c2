// The report operations of the contract, and the donations that reports name.

import type { Knex } from "knex";
import { formatEdge, formatInstant } from "../base/instant.ts";
import type { AnswerCache } from "../db/answer-cache.ts";
import { compare, half, minus, percentages, plus, ratio, toNumber, zero } from "../db/decimal.ts";
import type { ExactReads } from "../db/exact-reads.ts";
import { type StoredDonation, toRecord } from "../donations/donation.ts";
import type { Readers } from "../donations/open-readers.ts";
import type { DonationStore } from "../donations/store.ts";
import { type RangeParameters, resolveRange } from "../http/contract/parameters.ts";
import { enumOf, maxBuckets } from "../http/contract/published.ts";
import {
  type Handler,
  type JsonText,
  jsonText,
  type OperationId,
  type OperationRequest,
  type Principal,
  type Schemas,
} from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { bucketsOf, type LocalBucket } from "./calendar.ts";
import { type Donator, ofSources, readHistory, type Source, type Sum } from "./queries/short-history.ts";
import { readReport, type Subject } from "./queries/snapshot.ts";
import { channelSums, extremes, middleAmounts, sums } from "./queries/sums.ts";
import { topDonators } from "./queries/top-donators.ts";
import { uniqueDonators } from "./queries/unique-donators.ts";
import { localDayAt, type PeriodName, type PeriodSpans, periodsAt, rangeMembers, tooManyBuckets, trendRange } from "./ranges.ts";
import type { Span } from "./roll-ups/periods.ts";

export type ReportDeps = {
  /** Reads reports, perhaps on a standby: `reports` is the pool of reports there. */
  read: ExactReads<{ reports: Knex }>;
  /** Reports of at most as many donations are computed in memory instead of from roll-ups. */
  shortHistory: number;
  /** Reads a donation in the form of the contract. */
  record: (reader: Principal, donationId: string) => Promise<Schemas["Donation"]>;
  cache: AnswerCache;
  /** The present time in milliseconds since 1970. */
  now: () => number;
};

/** Makes a report. `pool`: where it is read. */
type MakeReport<Data> = (subject: Subject, pool: Knex) => Promise<Data>;

/** Up to here the donations cost less than their roll-ups, and little memory (docs/performance.md). */
const shortHistory = 1_000;

const channels = enumOf("Channel");

export const getDonationStats =
  (deps: ReportDeps): Handler<"getDonationStats"> =>
  async ({ query }, principal) => {
    const asOf = deps.now();
    const today = localDayAt(asOf, query.timezone);
    const text = await cachedReport(deps, { operation: "getDonationStats", query, asOf, today }, principal, (subject, pool) =>
      stats(pool, subject, { query, now: asOf }),
    );
    const { largestId, latestId, ...data } = JSON.parse(text.toString()) as Stats;
    // These two records are read each time: they show the state of their alert, which also changes when no donation is recorded.
    const recordOf = (id: string | null) => (id === null ? null : deps.record(principal, id));
    const [largest, latest] = await Promise.all([recordOf(largestId), recordOf(latestId)]);
    return { status: 200, body: { data: { ...data, asOf: formatInstant(asOf), largest, latest } } };
  };

export const listTopDonators =
  (deps: ReportDeps): Handler<"listTopDonators"> =>
  ({ query }, principal) =>
    report(deps, { operation: "listTopDonators", query, asOf: deps.now() }, principal, async (subject, pool) => {
      const range = resolveRange(query);
      const { donators } = await readReport(pool, subject, { donators: topDonators(range, query) });
      return { ...rangeMembers(range, query.timezone), by: query.by, donators: donators.map(toTopDonator) };
    });

export const getChannelBreakdown =
  (deps: ReportDeps): Handler<"getChannelBreakdown"> =>
  ({ query }, principal) =>
    report(deps, { operation: "getChannelBreakdown", query, asOf: deps.now() }, principal, async (subject, pool) => {
      const range = resolveRange(query);
      const { found } = await readReport(pool, subject, { found: channelSums(range) });
      const ordered = channels
        .map((channel) => ({ channel, ...(found.get(channel) ?? { total: zero, count: 0 }) }))
        .sort((a, b) => compare(b.total, a.total));
      const shares = percentages(ordered.map(({ total }) => total));
      return {
        ...rangeMembers(range, query.timezone),
        total: toNumber(ordered.reduce((sum, { total }) => plus(sum, total), zero)),
        count: ordered.reduce((sum, { count }) => sum + count, 0),
        channels: ordered.map(({ channel, ...sum }, index) => ({ channel, ...sumMembers(sum), percentage: shares[index] as number })),
      };
    });

export const getAmountTrends =
  (deps: ReportDeps): Handler<"getAmountTrends"> =>
  ({ query }, principal) => {
    const asOf = deps.now();
    const key = { operation: "getAmountTrends", query, asOf, today: localDayAt(asOf, query.timezone) } as const;
    return report(deps, key, principal, async (subject, pool) => {
      const { range, buckets } = trend(query, asOf);
      const { found } = await readReport(pool, subject, { found: sums(buckets, "consecutive") });
      let soFar = zero;
      const points = pointsOf(buckets).map((point, index) => {
        const sum = found[index] as Sum;
        soFar = plus(soFar, sum.total);
        return { ...point, ...sumMembers(sum), cumulative: query.cumulative ? toNumber(soFar) : null };
      });
      return { ...rangeMembers(range, query.timezone), interval: query.interval, points };
    });
  };

export const getCountTrends =
  (deps: ReportDeps): Handler<"getCountTrends"> =>
  ({ query }, principal) => {
    const asOf = deps.now();
    const key = { operation: "getCountTrends", query, asOf, today: localDayAt(asOf, query.timezone) } as const;
    return report(deps, key, principal, async (subject, pool) => {
      const { range, buckets } = trend(query, asOf);
      const { found, donators } = await readReport(pool, subject, {
        found: sums(buckets, "consecutive"),
        donators: uniqueDonators(buckets, "consecutive"),
      });
      let soFar = 0;
      const points = pointsOf(buckets).map((point, index) => {
        const count = found[index]?.count ?? 0;
        soFar += count;
        return { ...point, count, uniqueDonators: donators[index] ?? 0, cumulative: query.cumulative ? soFar : null };
      });
      return { ...rangeMembers(range, query.timezone), interval: query.interval, points };
    });
  };

/**
 * What identifies a report. `asOf`: when it was requested, before anything was read: it has every donation that was acknowledged then, and
 * perhaps some that were acknowledged while it was made. `today`: the local day, for reports whose parameters mean something else on another
 * day.
 */
type ReportKey = { operation: OperationId; query: { source: readonly Source[] }; asOf: number; today?: object };

/** Answers a report as JSON: the cached one while it is valid, with a new `asOf`. */
async function report<Data extends object>(
  deps: ReportDeps,
  key: ReportKey,
  principal: Principal,
  make: MakeReport<Data>,
): Promise<{ status: 200; json: JsonText<{ data: Data & { asOf: string } }> }> {
  const members = (await cachedReport(deps, key, principal, make)).subarray(1);
  return { status: 200, json: Buffer.concat([Buffer.from(`{"data":{"asOf":"${formatInstant(key.asOf)}",`), members, closing]) };
}

const closing = Buffer.from("}");

export function cachedReport(
  { cache, read, shortHistory }: ReportDeps,
  key: ReportKey,
  { streamerId }: Pick<Principal, "streamerId">,
  make: MakeReport<object>,
) {
  const text = `${key.operation} ${JSON.stringify([key.query, key.today])}`;
  const { source: sources } = key.query;
  return cache({ streamerId, text, showsAlerts: false }, (recorded, shared) =>
    read(streamerId, async ({ reports: pool }) => {
      const history = recorded <= shortHistory ? await shared("short history", () => readHistory(pool, streamerId)) : null;
      return jsonText(await make({ streamerId, sources, donations: history && ofSources(history.donations, sources) }, pool));
    }),
  );
}

type Stats = Omit<Schemas["DonationStats"], "asOf" | "largest" | "latest"> & { largestId: string | null; latestId: string | null };

type StatsQuestion = { query: RangeParameters; now: number };

async function stats(pool: Knex, subject: Subject, { query, now }: StatsQuestion): Promise<Stats> {
  const range = resolveRange(query);
  const periods = Object.entries(periodsAt(now, query.timezone)) as [PeriodName, PeriodSpans][];
  const spans = [range, ...periods.flatMap(([, { span, previous }]) => (previous ? [span, previous] : [span]))];
  const found = await readReport(pool, subject, {
    sums: sums(spans, "overlapping"),
    extremes: extremes(range),
    middles: middleAmounts(range),
    donators: uniqueDonators([range], "overlapping"),
  });
  const sumOf = (span: Span) => found.sums[spans.indexOf(span)] as Sum;
  const { total, count } = sumOf(range);
  return {
    ...rangeMembers(range, query.timezone),
    total: toNumber(total),
    count,
    average: ratio(total, count),
    median: found.middles && toNumber(half(plus(...found.middles))),
    min: found.extremes && toNumber(found.extremes.smallest),
    max: found.extremes && toNumber(found.extremes.largest),
    uniqueDonators: found.donators[0] ?? 0,
    largestId: found.extremes?.largestId ?? null,
    latestId: found.extremes?.latestId ?? null,
    periods: Object.fromEntries(periods.map(([name, of]) => [name, toPeriod(of, sumOf)])) as Schemas["Periods"],
  };
}

type TrendQuery = OperationRequest<Extract<OperationId, "getCountTrends">>["query"];

function trend(query: TrendQuery, now: number) {
  const range = trendRange(query, now);
  const buckets = bucketsOf(range, query.interval, { timezone: query.timezone, limit: maxBuckets });
  if (!buckets) throw tooManyBuckets();
  return { range, buckets };
}

/** A bucket ends where the next one begins, so that each of these instants is formatted once. */
function pointsOf(buckets: readonly LocalBucket[]) {
  let begin = { ms: Number.NaN, text: "" };
  return buckets.map(({ label, from, to }) => {
    const end = { ms: to, text: formatEdge(to) };
    const point = { label, from: begin.ms === from ? begin.text : formatEdge(from), to: end.text };
    begin = end;
    return point;
  });
}

function sumMembers({ total, count }: Sum) {
  return { total: toNumber(total), count, average: ratio(total, count) };
}

function toPeriod({ span, previous }: PeriodSpans, sumOf: (span: PeriodSpans["span"]) => Sum): Schemas["Period"] {
  const now = sumOf(span);
  const before = previous && sumOf(previous);
  return {
    ...periodMembers(span, now),
    average: ratio(now.total, now.count),
    previous: previous && before && periodMembers(previous, before),
    change: before && {
      total: growth(now.total, before.total),
      count: growth({ units: BigInt(now.count), scale: 0 }, { units: BigInt(before.count), scale: 0 }),
    },
  };
}

function periodMembers({ from, to }: PeriodSpans["span"], { total, count }: Sum): Schemas["Days"] {
  return { from: from === null ? null : formatEdge(from), to: to === null ? null : formatEdge(to), total: toNumber(total), count };
}

/** The change in percent of the previous value; null when that was 0, or so small that no JSON number holds the change. */
function growth(now: Sum["total"], before: Sum["total"]): number | null {
  const change = ratio({ ...minus(now, before), units: minus(now, before).units * 100n }, before);
  return Number.isFinite(change) ? change : null;
}

function toTopDonator({ rank, name, identifier, total, count, firstAt, lastAt }: Donator): Schemas["TopDonator"] {
  return {
    rank,
    name,
    identifier,
    total: toNumber(total),
    count,
    average: ratio(total, count) as number,
    firstAt: formatEdge(firstAt),
    lastAt: formatEdge(lastAt),
  };
}

export function reportDeps(readers: Readers, cache: AnswerCache): ReportDeps {
  const reported = findReported(readers);
  return {
    read: readers.readReports,
    shortHistory: shortHistory,
    record: async ({ streamerId, applicationId }, id) => toRecord(await reported(streamerId, id), applicationId),
    cache,
    now: Date.now,
  };
}

export function reportOperations(deps: ReportDeps) {
  return {
    getDonationStats: getDonationStats(deps),
    listTopDonators: listTopDonators(deps),
    getChannelBreakdown: getChannelBreakdown(deps),
    getAmountTrends: getAmountTrends(deps),
    getCountTrends: getCountTrends(deps),
  };
}

type Finder = { donations: Pick<DonationStore, "find"> };

/**
 * Finds the donations that a report names: the largest and the latest. Reads the primary, which has the latest state of alerts. A report read
 * from a synchronous standby may name a donation that the primary does not show yet, because its commit waits for the standby's
 * acknowledgement: the donation is read from the standby then. Throws unavailable when neither database has it, because the standby has become
 * unavailable.
 */
export function findReported({ primary, read }: { primary: Finder; read: ExactReads<Finder> }) {
  return async (streamerId: string, id: string): Promise<StoredDonation> => {
    const find = ({ donations }: Finder) => donations.find(streamerId, id);
    const found = (await find(primary)) ?? (await read(streamerId, find));
    if (!found) throw new Problem("unavailable", "A donation of this report is just being recorded; try again.");
    return found;
  };
}
