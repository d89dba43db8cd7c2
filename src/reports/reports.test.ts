import * as fc from "fast-check";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { answerCache } from "../db/answer-cache.ts";
import { batchedReads } from "../db/batched-reads.ts";
import { onPrimary } from "../db/exact-reads.ts";
import { pools } from "../db/pools.ts";
import { useDatabase } from "../db/testing.ts";
import { newStreamer } from "../donations/testing.ts";
import type { JsonString, JsonText, Principal, Schemas } from "../http/operations.ts";
import { findStanding } from "./donator-standing.ts";
import { getAmountTrends, getChannelBreakdown, getCountTrends, getDonationStats, listTopDonators, type ReportDeps } from "./handlers.ts";
import { type Bound, type Case, cases, formatBound } from "./model/testing-cases.ts";
import {
  exact,
  figuresOf,
  labelOf,
  localTime,
  type ModelDonation,
  nearest,
  rounded,
  statsOf,
  sumOf,
  topOf,
} from "./model/testing-model.ts";
import { application, executeSteps, readSeed } from "./testing.ts";

// SEED=123 repeats a run of the model test, SEED=123:4:0 one failure of it. RUNS=20000 looks harder.
const { seed, path } = readSeed(process.env.SEED);
const runs = Number(process.env.RUNS ?? (process.env.CI ? 300 : 100));
const connections = path === undefined ? 4 : 1;

let knex: Knex;
let reportReads: Knex;

useDatabase(async (database) => {
  knex = database.knex;
  reportReads = database.pool({ ...pools.reportReads, max: connections });
});

test(`every report equals that of the model (SEED=${seed})`, { timeout: 300_000 }, async () => {
  const each = Math.ceil(runs / connections);
  await Promise.all(
    Array.from({ length: connections }, (_, connection) =>
      fc.assert(fc.asyncProperty(cases, agrees), {
        seed: seed + (path === undefined ? connection : 0),
        path,
        numRuns: each,
        endOnFailure: false,
      }),
    ),
  );
});

const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "127.0.0.1" };

async function agrees({ timezone, now, steps, question }: Case): Promise<void> {
  const streamer = await newStreamer(knex);
  const allParts = [partsAt(now, 0), partsAt(now, Number.POSITIVE_INFINITY)]; // read from roll-ups, and from the donations
  // The same questions twice: answers that are cached the first time must not be given after more donations.
  const first = Math.floor(steps.length / 2);
  const earlier = await executeSteps(knex, streamer, steps.slice(0, first));
  for (const parts of allParts) await answersAgree(streamer, earlier, { timezone, now, question, parts });
  const later = await executeSteps(knex, streamer, steps.slice(first), earlier);
  for (const parts of allParts) await answersAgree(streamer, later, { timezone, now, question, parts });
}

type Asked = Pick<Case, "timezone" | "now" | "question"> & { parts: ReportDeps };

async function answersAgree(streamer: string, donations: readonly ModelDonation[], { timezone, now, question, parts }: Asked) {
  const { sources, from, to, interval, by, limit, cumulative } = question;
  const reader = principal(streamer);
  const range = { ...(from && { from: formatBound(from, timezone) }), ...(to && { to: formatBound(to, timezone) }) };
  const source: Schemas["Source"][] = sources ?? ["external", "native"];
  const query = { timezone, ...range, source };
  const counted = donations.filter((donation) => source.includes(donation.source));
  await standingsAgree(streamer, donations, parts);
  const asked = <Extra extends object>(extra: Extra) => ({
    caller,
    path: {},
    header: {},
    query: { ...query, ...extra },
    given: [],
    body: undefined,
  });

  const stats = await orProblem(getDonationStats(parts)(asked({}), reader));
  if (typeof stats === "string") expect(stats).toBe("invalid_range");
  else {
    const { data } = bodyOf(stats);
    expectRange(data, { timezone, from, to });
    const inRange = donationsIn(counted, data);
    expect({ ...data, largest: data.largest?.id ?? null, latest: data.latest?.id ?? null }).toMatchObject(statsOf(inRange));
    expectPeriods(data.periods, { counted, timezone, now });

    const top = bodyOf(await listTopDonators(parts)(asked({ by, limit }), reader)).data;
    expect(top.donators.map((one) => ({ ...one, firstAt: parseInstant(one.firstAt), lastAt: parseInstant(one.lastAt) }))).toEqual(
      topOf(inRange, by, limit),
    );

    expectBreakdown(bodyOf(await getChannelBreakdown(parts)(asked({}), reader)).data, inRange);
  }

  const amounts = await orProblem(getAmountTrends(parts)(asked({ interval, cumulative }), reader));
  const counts = await orProblem(getCountTrends(parts)(asked({ interval, cumulative }), reader));
  if (typeof amounts === "string" || typeof counts === "string") {
    expect(["invalid_range", "too_many_buckets"]).toContain(amounts);
    expect(counts).toBe(amounts);
    return;
  }
  const { data } = bodyOf(amounts);
  const countPoints = bodyOf(counts).data.points;
  expectPoints(data, { counted, interval, timezone });
  let soFar = 0n;
  const expected = data.points.map((point) => {
    const inside = donationsIn(counted, point);
    soFar += sumOf(inside);
    return { ...figuresOf(inside), cumulative: cumulative ? nearest(soFar) : null };
  });
  expect(data.points).toMatchObject(expected);
  const same = ({ label, from: first, to: after, count }: Schemas["CountPoint"] | Schemas["AmountPoint"]) => ({
    label,
    first,
    after,
    count,
  });
  expect(countPoints.map(same)).toEqual(data.points.map(same));
  expect(countPoints.map(({ uniqueDonators }) => uniqueDonators)).toEqual(
    data.points.map((point) => new Set(donationsIn(counted, point).map(({ who }) => who)).size),
  );
  expect(countPoints.map((point) => point.cumulative)).toEqual(
    countPoints.map((_, index) => (cumulative ? countPoints.slice(0, index + 1).reduce((sum, { count }) => sum + count, 0) : null)),
  );
}

/** Of the donators of the first and of the last donation. */
async function standingsAgree(streamer: string, donations: readonly ModelDonation[], parts: ReportDeps): Promise<void> {
  const real = donations.filter(({ source }) => source !== "test");
  const sums = [...Map.groupBy(real, ({ who }) => who).values()].map(sumOf);
  for (const who of new Set([real[0]?.who ?? "n:nobody", real.at(-1)?.who ?? "n:nobody"])) {
    const theirs = real.filter((donation) => donation.who === who);
    const found = await findStanding(parts)(streamer, who);
    if (theirs.length === 0) expect(found).toBeNull();
    else {
      const { total, count } = figuresOf(theirs);
      const times = theirs.map(({ createdAt }) => createdAt);
      const rank = 1 + sums.filter((sum) => sum > sumOf(theirs)).length;
      expect(found).toMatchObject({ total, count, rank, firstAt: Math.min(...times), lastAt: Math.max(...times) });
    }
  }
}

function bodyOf<Body>(reply: { body: Body } | { json: JsonText<Body> | JsonString<Body> }): Body {
  return "json" in reply ? (JSON.parse(reply.json.toString()) as Body) : reply.body;
}

function partsAt(now: number, shortHistory: number): ReportDeps {
  const record = async (_reader: Principal, id: string) => ({ id }) as Schemas["Donation"];
  return { read: onPrimary({ reports: reportReads }), shortHistory, cache: answerCache(batchedReads(knex)), record, now: () => now };
}

function principal(streamerId: string): Principal {
  return { streamerId, applicationId: application, scopes: ["read:donations"], credential: { kind: "api_key", id: "x" } };
}

async function orProblem<T>(answer: Promise<T>): Promise<T | string> {
  return answer.catch((error: { code?: string }) => {
    if (error.code === "invalid_range" || error.code === "too_many_buckets") return error.code;
    throw error;
  });
}

// A test of the model itself, by hand.
test("the model of reports rounds half away from zero and reads the smallest double", () => {
  expect([rounded(1n, 8n), rounded(-1n, 8n), rounded(1n, 3n)]).toEqual([0.13, -0.13, 0.33]);
  expect(nearest(exact(5e-324))).toBe(5e-324);
});

// Compares the parts of a report with the model.

type Ends = { from: string | null; to: string | null };

function donationsIn(donations: ModelDonation[], { from, to }: Ends): ModelDonation[] {
  const [first, after] = [
    from === null ? Number.NEGATIVE_INFINITY : parseInstant(from),
    to === null ? Number.POSITIVE_INFINITY : parseInstant(to),
  ];
  return donations.filter(({ createdAt }) => createdAt >= first && createdAt < after);
}

/** A date means a local day, from its first instant to its last; a date-time means an instant. */
function expectRange(data: Ends, { timezone, from, to }: { timezone: string; from: Bound | null; to: Bound | null }): void {
  if (from === null) expect(data.from).toBeNull();
  else if (!from.date) expect(parseInstant(data.from!)).toBe(from.ms);
  else expectStartOfDay(parseInstant(data.from!), localTime(from.ms, timezone).dayNumber, timezone);
  if (to === null) expect(data.to).toBeNull();
  else if (!to.date) expect(parseInstant(data.to!)).toBe(to.ms);
  else expectStartOfDay(parseInstant(data.to!), localTime(to.ms, timezone).dayNumber + 1, timezone);
}

/** Expects the beginning of a local day: the instant before it belongs to an earlier day. */
function expectStartOfDay(ms: number, dayNumber: number, timezone: string): void {
  expect(localTime(ms, timezone).dayNumber).toBeGreaterThanOrEqual(dayNumber);
  expect(localTime(ms - 1, timezone).dayNumber).toBeLessThan(dayNumber);
}

function expectPeriods(
  periods: Schemas["Periods"],
  { counted, timezone, now }: { counted: ModelDonation[]; timezone: string; now: number },
): void {
  const today = localTime(now, timezone);
  const since = {
    today: 0,
    thisWeek: today.weekday - 1,
    thisMonth: today.day - 1,
    thisYear: today.dayNumber - Math.floor(new Date(0).setUTCFullYear(today.year, 0, 1) / 86_400_000),
  };
  for (const [name, daysBefore] of Object.entries(since) as [keyof typeof since, number][]) {
    const { from, to, previous, change, ...figures } = periods[name];
    expectStartOfDay(parseInstant(from!), today.dayNumber - daysBefore, timezone);
    expectStartOfDay(parseInstant(to!), today.dayNumber + 1, timezone);
    expectStartOfDay(parseInstant(previous!.from!), today.dayNumber - 2 * daysBefore - 1, timezone);
    expect(previous!.to).toBe(from);
    const [inside, before] = [donationsIn(counted, { from, to }), donationsIn(counted, previous!)];
    expect(figures).toEqual(figuresOf(inside));
    expect(previous).toMatchObject({ total: nearest(sumOf(before)), count: before.length });
    expect(change).toEqual({
      total: finite(rounded((sumOf(inside) - sumOf(before)) * 100n, sumOf(before))),
      count: rounded(BigInt(inside.length - before.length) * 100n, BigInt(before.length)),
    });
  }
  expect(periods.allTime).toEqual({ from: null, to: null, ...figuresOf(counted), previous: null, change: null });
}

function expectBreakdown(data: Schemas["ChannelBreakdown"], inRange: ModelDonation[]): void {
  const { total, count } = figuresOf(inRange);
  expect(data).toMatchObject({ total, count });
  const hundredths = data.channels.map(({ percentage }) => Math.round(percentage * 100));
  expect(hundredths.reduce((sum, one) => sum + one, 0)).toBe(count === 0 ? 0 : 10_000);
  const listed = new Set(data.channels.map(({ channel }) => channel));
  expect(listed.size, "the enum Channel of spec/donations.tsp has another number of members than this check").toBe(6);
  for (const [index, { channel, percentage: _, ...figures }] of data.channels.entries()) {
    const through = inRange.filter((one) => one.channel === channel);
    expect(figures).toEqual(figuresOf(through));
    // By the largest remainder each share is less than a hundredth away from the exact one.
    const off = sumOf(through) * 10_000n - BigInt(hundredths[index]!) * sumOf(inRange);
    expect((off < 0n ? -off : off) < sumOf(inRange) || count === 0).toBe(true);
  }
}

function expectPoints(
  data: Schemas["AmountTrends"],
  { counted, interval, timezone }: { counted: ModelDonation[]; interval: Schemas["Interval"]; timezone: string },
): void {
  const ends = data.points.map(({ from, to }) => ({ from: parseInstant(from), to: parseInstant(to) }));
  expect([ends[0]!.from, ends.at(-1)!.to]).toEqual([parseInstant(data.from!), parseInstant(data.to!)]);
  // One assertion for all points of a kind, because an assertion costs more than the comparison.
  expect(ends.filter(({ from, to }) => from >= to)).toEqual([]);
  expect(ends.slice(1).map(({ from }) => from)).toEqual(ends.slice(0, -1).map(({ to }) => to));
  const labels = data.points.map(({ label }) => label);
  expect(ends.map(({ from }) => labelOf(from, interval, timezone))).toEqual(labels);
  expect(ends.map(({ to }) => labelOf(to - 1, interval, timezone))).toEqual(labels);
  const inRange = donationsIn(counted, data);
  const found = inRange.map(({ createdAt }) => labels[ends.findIndex(({ from, to }) => from <= createdAt && createdAt < to)]);
  expect(found).toEqual(inRange.map(({ createdAt }) => labelOf(createdAt, interval, timezone)));
  expect(new Set(labels).size).toBe(labels.length);
}

/** Answers are plain RFC 3339, also with an offset. */
function parseInstant(instant: string): number {
  return Date.parse(instant);
}

/** A change of the smallest amounts can be beyond every JSON number. */
function finite(value: number | null): number | null {
  return Number.isFinite(value) ? value : null;
}
