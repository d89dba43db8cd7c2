// The reports of the contract.

import type { Knex } from "knex";
import { compare, half, minus, percentages, plus, ratio, toNumber, zero } from "../db/decimal.ts";
import type { Handler, OperationId, OperationRequest, Principal, Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { maxBuckets } from "../http/published.ts";
import { resolveRange } from "../http/range.ts";
import { bucketsOf, type LocalBucket } from "./calendar.ts";
import { middles } from "./median.ts";
import type { Span } from "./periods.ts";
import { formatEdge, type PeriodName, type PeriodSpans, periodsAt, rangeMembers, trendRange } from "./ranges.ts";
import { onSnapshot, type Snapshot, type Source } from "./snapshot.ts";
import { channelSums, extremes, type Sum, sums } from "./sums.ts";
import { type Donator, topDonators } from "./top-donators.ts";
import { uniqueDonators } from "./unique-donators.ts";

export type ReportParts = {
  knex: Knex;
  /** A donation as the contract shows it to the reader. */
  record: (reader: Principal, donationId: string) => Promise<Schemas["Donation"]>;
  /** Milliseconds. */
  now: () => number;
};

const channels = ["external", "promptpay", "truemoney", "bank_transfer", "card", "other"] as const;

export const getDonationStats =
  ({ knex, record, now }: ReportParts): Handler<"getDonationStats"> =>
  async ({ query }, principal) => {
    const range = resolveRange(query);
    const asOf = now();
    const periods = Object.entries(periodsAt(asOf, query.timezone)) as [PeriodName, PeriodSpans][];
    const spans = [range, ...periods.flatMap(([, { span, previous }]) => (previous ? [span, previous] : [span]))];
    const found = await onSnapshot(knex, subject(query, principal), async (snapshot) => ({
      sums: await sums(snapshot, spans, "overlapping"),
      extremes: await extremes(snapshot, range),
      middles: await middles(snapshot, range),
      donators: await uniqueDonators(snapshot, [range], "overlapping"),
    }));
    const sumOf = (span: Span) => found.sums[spans.indexOf(span)] as Sum;
    const { total, count } = sumOf(range);
    const recordOf = (id: string | undefined) => (id === undefined ? null : record(principal, id));
    return {
      status: 200,
      body: {
        data: {
          ...rangeMembers(range, query.timezone, asOf),
          total: toNumber(total),
          count,
          average: ratio(total, count),
          median: found.middles && toNumber(half(plus(...found.middles))),
          min: found.extremes && toNumber(found.extremes.smallest),
          max: found.extremes && toNumber(found.extremes.largest),
          uniqueDonators: found.donators[0] ?? 0,
          largest: await recordOf(found.extremes?.largestId),
          latest: await recordOf(found.extremes?.latestId),
          periods: Object.fromEntries(periods.map(([name, of]) => [name, period(of, sumOf)])) as Schemas["Periods"],
        },
      },
    };
  };

export const listTopDonators =
  ({ knex, now }: ReportParts): Handler<"listTopDonators"> =>
  async ({ query }, principal) => {
    const range = resolveRange(query);
    const asOf = now();
    const donators = await onSnapshot(knex, subject(query, principal), (snapshot) => topDonators(snapshot, range, query));
    return {
      status: 200,
      body: { data: { ...rangeMembers(range, query.timezone, asOf), by: query.by, donators: donators.map(donator) } },
    };
  };

export const getChannelBreakdown =
  ({ knex, now }: ReportParts): Handler<"getChannelBreakdown"> =>
  async ({ query }, principal) => {
    const range = resolveRange(query);
    const asOf = now();
    const found = await onSnapshot(knex, subject(query, principal), (snapshot) => channelSums(snapshot, range));
    const ordered = channels
      .map((channel) => ({ channel, ...(found.get(channel) ?? { total: zero, count: 0 }) }))
      .sort((a, b) => compare(b.total, a.total));
    const shares = percentages(ordered.map(({ total }) => total));
    return {
      status: 200,
      body: {
        data: {
          ...rangeMembers(range, query.timezone, asOf),
          total: toNumber(ordered.reduce((sum, { total }) => plus(sum, total), zero)),
          count: ordered.reduce((sum, { count }) => sum + count, 0),
          channels: ordered.map(({ channel, ...sum }, index) => ({ channel, ...figures(sum), percentage: shares[index] as number })),
        },
      },
    };
  };

export const getAmountTrends =
  ({ knex, now }: ReportParts): Handler<"getAmountTrends"> =>
  async ({ query }, principal) => {
    const asOf = now();
    const { range, buckets } = trend(query, asOf);
    const found = await onSnapshot(knex, subject(query, principal), (snapshot) => sums(snapshot, buckets, "consecutive"));
    let soFar = zero;
    const points = pointsOf(buckets).map((point, index) => {
      const sum = found[index] as Sum;
      soFar = plus(soFar, sum.total);
      return { ...point, ...figures(sum), cumulative: query.cumulative ? toNumber(soFar) : null };
    });
    return { status: 200, body: { data: { ...rangeMembers(range, query.timezone, asOf), interval: query.interval, points } } };
  };

export const getCountTrends =
  ({ knex, now }: ReportParts): Handler<"getCountTrends"> =>
  async ({ query }, principal) => {
    const asOf = now();
    const { range, buckets } = trend(query, asOf);
    const found = await onSnapshot(knex, subject(query, principal), async (snapshot: Snapshot) => ({
      sums: await sums(snapshot, buckets, "consecutive"),
      donators: await uniqueDonators(snapshot, buckets, "consecutive"),
    }));
    const points = pointsOf(buckets).map((point, index) => ({
      ...point,
      count: found.sums[index]?.count ?? 0,
      uniqueDonators: found.donators[index] ?? 0,
    }));
    return { status: 200, body: { data: { ...rangeMembers(range, query.timezone, asOf), interval: query.interval, points } } };
  };

function subject({ source }: { source: readonly Source[] }, { streamerId }: Principal) {
  return { streamerId, sources: source };
}

type TrendQuery = OperationRequest<Extract<OperationId, "getCountTrends">>["query"];

function trend(query: TrendQuery, now: number) {
  const range = trendRange(query, now);
  const buckets = bucketsOf(range, query.interval, { timezone: query.timezone, limit: maxBuckets });
  if (!buckets) throw new Problem("too_many_buckets", `The range has more than ${maxBuckets} buckets; choose a longer interval.`);
  return { range, buckets };
}

/** Where a bucket ends the next one begins: that instant is written once. */
function pointsOf(buckets: readonly LocalBucket[]) {
  let begin = { ms: Number.NaN, text: "" };
  return buckets.map(({ label, from, to }) => {
    const end = { ms: to, text: formatEdge(to) };
    const point = { label, from: begin.ms === from ? begin.text : formatEdge(from), to: end.text };
    begin = end;
    return point;
  });
}

function figures({ total, count }: Sum) {
  return { total: toNumber(total), count, average: ratio(total, count) };
}

function period({ span, previous }: PeriodSpans, sumOf: (span: PeriodSpans["span"]) => Sum): Schemas["Period"] {
  const now = sumOf(span);
  const before = previous && sumOf(previous);
  return {
    ...days(span, now),
    average: ratio(now.total, now.count),
    previous: previous && before && days(previous, before),
    change: before && {
      total: growth(now.total, before.total),
      count: growth({ units: BigInt(now.count), scale: 0 }, { units: BigInt(before.count), scale: 0 }),
    },
  };
}

function days({ from, to }: PeriodSpans["span"], { total, count }: Sum): Schemas["Days"] {
  return { from: from === null ? null : formatEdge(from), to: to === null ? null : formatEdge(to), total: toNumber(total), count };
}

/** In percent of what was before; null where that is nothing. */
function growth(now: Sum["total"], before: Sum["total"]): number | null {
  return ratio({ ...minus(now, before), units: minus(now, before).units * 100n }, before);
}

function donator({ rank, name, identifier, total, count, firstAt, lastAt }: Donator): Schemas["TopDonator"] {
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
