import { describe, expect, test } from "vitest";
import { ids, listAll, type Query, takeBack } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { addStreamerWithKeys, cli } from "../../suite/client/operator.ts";
import {
  between,
  type Counted,
  channelsOf,
  type Donations,
  daysOfEvenCount,
  edgeDonations,
  figuresOf,
  growth,
  type HistoryOwner,
  historyOwner,
  importDonations,
  importHistory,
  report,
  statsOf,
  topDonatorsOf,
  wholeHistory,
} from "../../suite/models/reports.ts";
import type { Body } from "../../suite/values/donations.ts";
import { type Operator, operatorOf } from "../../suite/values/target.ts";

// A server may compute the reports of a short history in another way than those of a long one, and may keep sums of what is past. However it
// does, its answers are what a plain model computes from every donation.

const ranges: Query[] = [
  {},
  { from: "2024-01-01", to: "2024-12-31" },
  { from: "2024-01-01", to: "2024-12-31", timezone: "UTC" },
  { from: "2024-02-01", to: "2024-02-29", timezone: "Europe/Berlin" },
  { from: "2024-03-31", to: "2024-03-31", timezone: "Europe/Berlin" },
  { from: "2024-01-01", to: "2024-01-07" },
  { from: "2023-12-31T16:59:59.999Z", to: "2024-03-01T00:09Z" },
  { from: "2024-06-10T09:59:59.999Z", to: "2024-06-10T10:24Z" },
  { to: "2024-02-29T17:09Z" },
  { from: "2024-12-30", timezone: "Asia/Kathmandu" },
  ...daysOfEvenCount.map((day) => ({ from: day, to: day })),
];
const sources = [["external", "native"], ["external"], ["native", "test"], ["test", "native", "external"]];
const trends: Query[] = [
  { interval: "year", from: "2023-06-01", to: "2025-06-30" },
  { interval: "month", from: "2023-11-30", to: "2025-01-31" },
  { interval: "month", from: "2023-11-30", to: "2025-01-31", timezone: "Europe/Berlin" },
  { interval: "week", from: "2023-12-20", to: "2025-01-10" },
  { interval: "week", from: "2023-12-20", to: "2025-01-10", timezone: "Asia/Kathmandu" },
  { interval: "day", from: "2023-12-25", to: "2024-03-05" },
  { interval: "day", from: "2024-03-20T07:00Z", to: "2024-11-03", timezone: "Europe/Berlin" },
  { interval: "hour", from: "2024-03-29", to: "2024-04-01", timezone: "Europe/Berlin" },
  { interval: "hour", from: "2024-06-09", to: "2024-06-11", timezone: "Asia/Kathmandu" },
];

const asked = (some: readonly Query[]): Query[] =>
  some.flatMap((query, index) => [index, index + 1].map((turn) => ({ ...query, source: sources[turn % sources.length] as string[] })));

/** The donations of a history that reports count, of the sources that are asked for. */
const counted = (history: Donations, { source }: Query): Donations =>
  history.filter((one) => one.voided === null && (source as string[]).includes(one.source));

async function expectStats(key: string, history: Donations, query: Query): Promise<void> {
  const donations = counted(history, query);
  const { periods, largest, latest, ...answered } = await report("stats", query, { key });
  expect({ ...answered, largest: largest?.id ?? null, latest: latest?.id ?? null }).toMatchObject(statsOf(between(donations, answered)));
  for (const { previous, change, ...period } of Object.values(periods)) {
    const now = figuresOf(between(donations, period));
    expect(period).toMatchObject(now);
    if (!previous) continue;
    const { average: _, ...before } = figuresOf(between(donations, previous));
    expect(previous).toMatchObject(before);
    const satang = (total: number): number => Math.round(total * 100);
    expect(change).toEqual({ total: growth(satang(now.total), satang(before.total)), count: growth(now.count, before.count) });
  }
}

async function expectTopDonators(key: string, history: Donations, query: Query): Promise<void> {
  const donations = counted(history, query);
  for (const [by, limit] of [
    ["amount", 3],
    ["count", 100],
  ] as const) {
    const { donators, ...answered } = await report("top-donators", { ...query, by, limit }, { key });
    expect(donators).toEqual(topDonatorsOf(between(donations, answered), by, limit));
  }
}

async function expectBreakdown(key: string, history: Donations, query: Query): Promise<void> {
  const { channels, ...answered } = await report("breakdown", query, { key });
  const donations = between(counted(history, query), answered);
  const { average: _, ...whole } = figuresOf(donations);
  expect(answered).toMatchObject(whole);
  const totals = channels.map(({ total }) => total);
  expect(totals).toEqual(totals.toSorted((a, b) => b - a));
  const expected = channelsOf(donations);
  const none = { total: 0, count: 0, average: null, percentage: 0 };
  for (const share of channels) expect(share).toMatchObject(expected.get(share.channel) ?? { channel: share.channel, ...none });
  for (const { total, percentage } of channels)
    expect(Math.abs(percentage - (whole.total && (total * 100) / whole.total))).toBeLessThan(0.01);
  const hundredths = channels.reduce((sum, { percentage }) => sum + Math.round(percentage * 100), 0);
  expect(hundredths).toBe(donations.length === 0 ? 0 : 10_000);
}

async function expectTrends(key: string, history: Donations, query: Query): Promise<void> {
  const donations = counted(history, query);
  const amounts = await report("trends/amount", { ...query, cumulative: "true" }, { key });
  const counts = await report("trends/count", { ...query, cumulative: "true" }, { key });
  for (const { points, from, to } of [amounts, counts])
    expect([...points.map((point) => point.from), to]).toEqual([from, ...points.map((point) => point.to)]);
  expect(amounts.points).toMatchObject(
    amounts.points.map((point) => ({
      ...figuresOf(between(donations, point)),
      cumulative: figuresOf(between(donations, { from: amounts.from, to: point.to })).total,
    })),
  );
  const uniqueOf = (some: Donations): unknown => (statsOf(some) as { uniqueDonators: number }).uniqueDonators;
  expect(counts.points).toMatchObject(
    counts.points.map((point) => {
      const own = between(donations, point);
      const cumulative = between(donations, { from: counts.from, to: point.to }).length;
      return { count: own.length, uniqueDonators: uniqueOf(own), cumulative };
    }),
  );
}

/** The history at a stage, and who asks. */
type Stage = { key: string; history: Donations };

const reports: [name: string, expectEach: (stage: Stage) => Promise<void>][] = [
  ["stats", ({ key, history }) => holdsForEach(asked(ranges), (query) => expectStats(key, history, query), 6)],
  ["top donators", ({ key, history }) => holdsForEach(asked(ranges), (query) => expectTopDonators(key, history, query), 6)],
  ["the breakdown by channel", ({ key, history }) => holdsForEach(asked(ranges), (query) => expectBreakdown(key, history, query), 6)],
  ["trends", ({ key, history }) => holdsForEach(asked(trends), (query) => expectTrends(key, history, query), 6)],
];

type State = { operator: Operator; owner: HistoryOwner };

/** Each stage begins with the history of the one before, and is prepared once. */
function stage(before: ((operator: Operator) => Promise<State>) | null, prepare: (state: State) => Promise<unknown>) {
  let prepared: Promise<State> | null = null;
  const begin = async (operator: Operator): Promise<State> => {
    const state = before ? await before(operator) : { operator, owner: await historyOwner(operator) };
    await prepare(state);
    return state;
  };
  return (operator: Operator): Promise<State> => (prepared ??= begin(operator));
}

async function voidSome({ owner }: State, place: (one: Counted, index: number) => boolean): Promise<void> {
  const active = (await wholeHistory(owner)).filter(({ voided }) => voided === null);
  await holdsForEach(active.filter(place), (one) => takeBack(one, "refund", { key: owner.key }), 4);
}

/** Recorded and voided from places all over the history, the largest and the latest donations among them. */
const short = stage(null, async (state) => {
  await importHistory(state.owner, 140, 2);
  await voidSome(state, (one, index) => index % 23 === 0 || (one.amount === 5000 && index % 2 === 0));
});
const long = stage(short, async ({ owner }) => {
  await importHistory(owner, 1_200, 3);
  await importDonations(owner, edgeDonations);
});
const rebuilt = stage(long, async ({ operator, owner }) => {
  await cli(operator, "reports", "rebuild", "--streamer", owner.handle);
  await importHistory(owner, 20, 4);
});
/** The first and the last donation of a donator's month, year and history among them, whose times the kept sums take back. */
const voided = stage(rebuilt, (state) =>
  voidSome(state, (one, index) => index % 301 === 0 || (one.amount === 5000 && index % 16 === 0) || /^Edge (02|27)$/.test(one.donatorName)),
);
/** Five of six are in the range of the lists. */
const veryLong = stage(short, ({ owner }) => importHistory(owner, 3_400, 5));

describe.each<[string, (operator: Operator) => Promise<State>]>([
  ["a short history", short],
  ["a long history, as soon as it was recorded,", long],
  ["a long history whose sums were made anew, and of what was recorded since,", rebuilt],
  ["a long history of which some donations were voided later", voided],
])("%s", (kind, prepare) => {
  test.for(reports)(`%s of ${kind} are what a plain model computes`, { timeout: 300_000 }, async ([, expectEach], context) => {
    const { owner } = await prepare(operatorOf(context));
    await expectEach({ key: owner.key, history: await wholeHistory(owner) });
  });
});

test("different donators are counted exactly, however many there are: in stats, in trends and among the top donators", {
  timeout: 300_000,
}, async (context) => {
  const handle = `crowd-${crypto.randomUUID().slice(0, 8)}`;
  const { key } = await addStreamerWithKeys(operatorOf(context), handle, "read:donations write:donations");
  const crowd = Array.from({ length: 2_500 }, (_, index) => ({
    donatorName: "Crowd",
    identifier: `crowd ${index}`,
    amount: (100 + index) / 100,
  }));
  const onDay = (day: string, some: Body[]): Body[] => some.map((one) => ({ ...one, createdAt: `2024-05-${day}T12:00Z` }));
  await importDonations({ handle, key }, [...onDay("09", crowd), ...onDay("10", crowd.slice(0, 500))]);
  const history = await wholeHistory({ handle, key });
  expect(statsOf(history)).toMatchObject({ count: 3_000, uniqueDonators: 2_500 });
  const query = { from: "2024-05-09", to: "2024-05-10", source: ["external", "native"] };
  await expectStats(key, history, query);
  await expectTopDonators(key, history, query);
  for (const interval of ["day", "week"]) await expectTrends(key, history, { ...query, interval });
});

test.for(["amount", "-amount", "createdAt", "-createdAt"])(
  "a list sorted by %s of a range of thousands of donations has each once, in order, and leaves out the void ones or the others",
  { timeout: 300_000 },
  async (sort, context) => {
    const { owner } = await veryLong(operatorOf(context));
    const range = { from: "2023-11-01T00:00:00.001Z", to: "2025-03-01T00:00Z" };
    const inRange = between(await wholeHistory(owner), range);
    const value = ({ amount, ms }: Counted): number => (sort.endsWith("amount") ? amount : ms);
    for (const status of ["active", "voided", "all"]) {
      const rising = inRange.filter(({ voided: at }) => status === "all" || (at !== null) === (status === "voided"));
      const listed = rising.filter(({ source }) => source !== "test").sort((a, b) => value(a) - value(b));
      const expected = sort.startsWith("-") ? listed.toReversed() : listed;
      expect(ids(await listAll({ ...range, sort, status, limit: 100 }, { key: owner.key }))).toEqual(ids(expected));
    }
  },
);
