import { beforeAll, describe, expect, test } from "vitest";
import rangeCases from "../../cases/ranges.json" with { type: "json" };
import {
  create,
  type Donation,
  expectFaults,
  expectProblem,
  keyWithoutDonations,
  post,
  type Query,
  recorded,
} from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { addStreamerWithKeys, newStreamer } from "../../suite/client/operator.ts";
import { type DateTime, instantOf, parseDateTime } from "../../suite/contract/date-time.ts";
import { maxAmount } from "../../suite/contract/interface.ts";
import { askReport, at, emptyDays, type Reports, report } from "../../suite/models/reports.ts";
import { fullOnly } from "../../suite/values/depth.ts";
import { donation, freshIdentifier } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

// Rules that every report shares; each report has further rules in its own file.

const names: (keyof Reports)[] = ["stats", "top-donators", "breakdown", "trends/amount", "trends/count"];

/** The number of donations that a report counts. */
const counted = {
  stats: (data: Reports["stats"]) => data.count,
  "top-donators": (data: Reports["top-donators"]) => data.donators.reduce((sum, { count }) => sum + count, 0),
  breakdown: (data: Reports["breakdown"]) => data.count,
  "trends/amount": (data: Reports["trends/amount"]) => data.points.reduce((sum, { count }) => sum + count, 0),
  "trends/count": (data: Reports["trends/count"]) => data.points.reduce((sum, { count }) => sum + count, 0),
};

const streamer = newStreamer();

/** Single days, each with its first instant at first, and with the first instant after it at last. */
const localDays = rangeCases.filter(({ range }) => range.timezone !== undefined && range.from === range.to && range.from > "1970");

const countOf = async (name: keyof Reports, query: Query, key?: string): Promise<number> =>
  (counted[name] as (data: unknown) => number)(await report(name, query, key === undefined ? {} : { key }));

describe.each(names)("%s", (name) => {
  test(`${name} states its range, zone, currency and time`, async () => {
    const before = Date.now();
    const { from, to, timezone, currency, asOf } = await report(name, { from: "2024-05-10", to: "2024-05-11T03:00+07:00" });
    expect({ from, to, timezone, currency }).toEqual({
      from: "2024-05-09T17:00:00.000Z",
      to: "2024-05-10T20:00:00.000Z",
      timezone: "Asia/Bangkok",
      currency: "THB",
    });
    expect(Math.abs(Date.parse(asOf) - before)).toBeLessThan(60_000);
  });

  test(`${name} has an asOf that is no earlier than the receivedAt of what was answered before, nor than the asOf of an earlier report`, async () => {
    const [day = ""] = await emptyDays(1);
    let latest = 0;
    const follows = (time: string): void => {
      expect(Date.parse(time), "a second for processes whose clocks differ").toBeGreaterThan(latest - 1_000);
      latest = Math.max(latest, Date.parse(time));
    };
    for (let count = 0; count < 3; count += 1) {
      follows((await at(`${day}T12:00+07:00`)).receivedAt);
      follows((await report(name, { from: day, to: day })).asOf);
    }
  });

  test(`${name} counts each donation as soon as it was answered`, async () => {
    const [day = ""] = await emptyDays(1);
    for (let count = 0; count < 4; count += 1) {
      expect(await countOf(name, { from: day, to: day })).toBe(count);
      await at(`${day}T12:00+07:00`);
    }
  });

  test(`${name} includes from and excludes to; a date is the local day, and \`to\` includes that day`, async () => {
    const [before = "", day = "", after = ""] = await emptyDays(3);
    const edges = [`${before}T23:59:59.999`, `${day}T00:00`, `${day}T00:07:30.001`, `${day}T23:59:59.999`, `${after}T00:00`];
    for (const edge of edges) await at(`${edge}+07:00`);
    expect(await countOf(name, { from: day, to: day })).toBe(3);
    expect(await countOf(name, { from: `${day}T00:00+07:00`, to: `${day}T00:07:30.001+07:00` })).toBe(1);
    expect(await countOf(name, { from: `${day}T00:07:30.001+07:00`, to: day })).toBe(2);
    expect(await countOf(name, { from: before, to: `${after}T00:00:00.001+07:00` })).toBe(5);
  });

  test(`${name} with to alone counts up to the end of that day`, async (context) => {
    const key = streamer(context);
    const until = (): Promise<number> => countOf(name, { to: "2024-05-10" }, key);
    const before = await until();
    for (const createdAt of ["2024-05-01T12:00Z", "2024-05-10T16:59:59.999Z", "2024-05-10T17:00Z"]) await post({ createdAt }, { key });
    expect((await until()) - before).toBe(2);
  });

  test(`${name} of a local day states its first instant and the first after it, also where the clocks change`, () =>
    holdsForEach(localDays, async ({ range, inside: [first = ""], outside }) => {
      const { from, to } = await report(name, range as Query);
      expect([from, to].map((text) => Date.parse(text ?? ""))).toEqual([first, outside.at(-1) ?? ""].map((text) => Date.parse(text)));
    }));

  test(`${name} cuts the bounds of a range off to the millisecond, as it is done with createdAt (interface 2.2.4)`, async () => {
    const [day = ""] = await emptyDays(1);
    const instant = `${day}T12:00:00.1239+07:00`;
    await at(instant);
    expect(await countOf(name, { from: instant, to: day })).toBe(1);
    expect(await countOf(name, { from: day, to: instant })).toBe(0);
  });

  test(`${name} takes a day in a zone with a quarter-hour offset as that local day`, async () => {
    const [day = ""] = await emptyDays(1);
    for (const edge of ["00:00+05:45", "23:59:59.999+05:45", "00:00+06:00"]) await at(`${day}T${edge}`);
    expect(await countOf(name, { from: day, to: day, timezone: "Asia/Kathmandu" })).toBe(2);
  });

  test(`${name} counts no donations of another streamer`, async (context) => {
    const [day = ""] = await emptyDays(1);
    await at(`${day}T12:00+07:00`);
    expect(await countOf(name, { from: day, to: day }, keyOf(context, "other"))).toBe(0);
    expect(await countOf(name, { from: day, to: day }, keyOf(context, "secondApplication"))).toBe(1);
  });

  test(`${name} is answered for a streamer without donations`, async (context) => {
    expect(await countOf(name, {}, await keyWithoutDonations(context))).toBe(0);
  });

  test(`${name} keeps the sources that the filter source names`, async () => {
    const [day = ""] = await emptyDays(1);
    await at(`${day}T12:00+07:00`);
    expect(await countOf(name, { from: day, to: day, source: ["external", "test"] })).toBe(1);
    expect(await countOf(name, { from: day, to: day, source: ["test", "external"] })).toBe(1);
    expect(await countOf(name, { from: day, to: day, source: ["native", "test"] })).toBe(0);
  });

  test.each<[string, Query]>([
    ["reversed days", { from: "2024-05-11", to: "2024-05-10" }],
    ["an empty range", { from: "2024-05-10T10:00Z", to: "2024-05-10T17:00+07:00" }],
    ["an unknown time zone", { timezone: "Asia/Ayutthaya" }],
    ["an offset instead of a zone", { timezone: "+07:00" }],
    ["an abbreviation that several zones have", { timezone: "CST" }],
    ["an offset from UTC instead of a zone", { timezone: "UTC+7" }],
    ["an offset from GMT instead of a zone", { timezone: "GMT+7" }],
    ["the zone of the machine", { timezone: "Local" }],
    ["a city instead of a zone", { timezone: "Bangkok" }],
    ["Windows' name of a zone", { timezone: "SE Asia Standard Time" }],
    ["an abbreviation instead of a zone", { timezone: "ICT" }],
    ["a file beside those of the zones", { timezone: "zone.tab" }],
    ["a path to the file of a zone", { timezone: "../Asia/Bangkok" }],
  ])(`${name} with %s is refused with invalid_range`, async (_, query) =>
    expectProblem(await askReport(name, query), 400, "invalid_range"),
  );

  test(`${name} names a malformed bound and an unknown source`, async () => {
    expectFaults(await askReport(name, { from: "2024-02-30", source: "stripe" }), "from invalid_format", "source invalid_enum");
    expectFaults(await askReport(name, { from: "2024-05-10", to: "2024-05-11T17:00 07:00" }), "to invalid_format");
  });

  test(`${name} answers the ends of the years 0000 and 9999 as instants`, async () => {
    const instant = (text: string | null) => instantOf(parseDateTime(text ?? "") as DateTime);
    for (const end of ["0000-01-01T00:00:00.000+23:59", "9999-12-31T23:59:59.998-23:59"]) {
      const range = { from: end, to: `${end.slice(0, 22)}9${end.slice(23)}` };
      const { from, to } = await report(name, range);
      expect([instant(from), instant(to)]).toEqual([instant(range.from), instant(range.to)]);
    }
  });
});

test.each(["trends/amount", "trends/count"] as const)(
  "%s without from begins no earlier than the first date-time there is",
  async (name) => {
    const { from, to } = await report(name, { to: "0000-01-01", timezone: "UTC" });
    expect([from, to].map((text) => parseDateTime(text ?? ""))).not.toContain(null);
  },
);

// Averages and changes have two decimals, and a half is rounded away from zero: at the half itself, and right beside it.

/** Amounts of one day, and their average. */
const cases: readonly [amounts: readonly number[], average: number][] = [
  [[0.005], 0.01],
  [[0.015], 0.02],
  [[0.025], 0.03],
  [[0.035], 0.04],
  [[0.995], 1],
  [[1.005], 1.01], // the nearest double is below
  [[2.675], 2.68], // and so it is here
  [[1.115], 1.12], // here it is above
  [[8.345], 8.35],
  [[0.004999999999999999], 0],
  [[0.0249999999999999], 0.02],
  [[0.0250000000000001], 0.03],
  [[0.02, 0.03], 0.03],
  [[0.01, 0.02], 0.02],
  [[1.1, 1.11], 1.11],
  [[0.01, 0.01, 0.01, 0.03], 0.02],
  [[0.01, 0.01, 0.03, 0.05], 0.03],
  [[0.04, 0.03, 0.03], 0.03],
  [[0.05, 0.04, 0.04, 0.04, 0.04, 0.04, 0.04, 0.07], 0.05],
  [[10, 10, 20], 13.33],
  [[10, 20, 20], 16.67],
  [[maxAmount - 0.005], maxAmount],
  [[maxAmount, maxAmount - 0.01], maxAmount],
];

type Recorded = { day: string; identifier: string; average: number };

let days: Recorded[] = [];
beforeAll(async () => {
  const empty = await emptyDays(cases.length);
  const own = freshIdentifier();
  days = cases.map(([, average], index) => ({ day: empty[index] ?? "", identifier: `${own}${index}`, average }));
  for (const [index, { day, identifier }] of days.entries())
    for (const amount of cases[index]?.[0] ?? []) await at(`${day}T12:00+07:00`, { amount, identifier });
});

const rangeOf = ({ day }: Recorded): { from: string; to: string } => ({ from: day, to: day });

test("averages of the stats are rounded half away from zero, to two decimals", () =>
  holdsForEach(days, async (one) => expect((await report("stats", rangeOf(one))).average).toBe(one.average), 8));

test("averages of the channel breakdown are rounded half away from zero, to two decimals", () =>
  holdsForEach(days, async (one) => expect((await report("breakdown", rangeOf(one))).channels[0]?.average).toBe(one.average), 8));

test("averages of the points of a trend are rounded half away from zero, to two decimals", async () => {
  const { points } = await report("trends/amount", { from: days[0]?.day ?? "", to: days.at(-1)?.day ?? "" });
  expect(points.map(({ label, average }) => [label, average])).toEqual(days.map(({ day, average }) => [day, average]));
});

test("averages of top donators are rounded half away from zero, to two decimals", async () => {
  const { donators } = await report("top-donators", { from: days[0]?.day ?? "", to: days.at(-1)?.day ?? "", limit: 100 });
  const averages = new Map(donators.map(({ identifier, average }) => [identifier, average]));
  expect(days.map(({ identifier }) => averages.get(identifier))).toEqual(days.map(({ average }) => average));
});

/** A zone in which it is around noon, so that no day ends while a rule runs. */
function zoneAtNoon(): { timezone: string; hoursAhead: number } {
  const hoursAhead = 12 - new Date().getUTCHours();
  return { timezone: `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`, hoursAhead };
}

test("a change in percent and the average of a period are rounded half away from zero, whether it is growth or a fall", async (context) => {
  fullOnly(context, "it waits for the operator's command line");
  const operator = operatorOf(context);
  const { timezone, hoursAhead } = zoneAtNoon();
  const noon = Math.floor((Date.now() + hoursAhead * 3_600_000) / 86_400_000) * 86_400_000 + (12 - hoursAhead) * 3_600_000;
  const handle = `rounding-${freshIdentifier().slice(-6)}-${Date.now().toString(36)}`;
  const { key } = await addStreamerWithKeys(operator, handle, "read:donations write:donations");
  const post = async (amount: number, ms: number): Promise<unknown> =>
    recorded(await create(donation({ amount, skipAlert: true, createdAt: new Date(ms).toISOString() }), { key }));
  const today = async () => (await report("stats", { timezone }, { key })).periods.today;

  await post(800, noon - 86_400_000);
  // Each change is an odd number of eighths of a percent.
  for (const [amounts, change] of [
    [[793], -0.88],
    [[1, 1], -0.63],
    [[2], -0.38],
    [[2], -0.13],
    [[2], 0.13],
    [[2], 0.38],
    [[2], 0.63],
  ] as const) {
    for (const amount of amounts) await post(amount, noon);
    expect((await today()).change?.total).toBe(change);
  }
  expect((await today()).average).toBe(100.63); // 805 / 8
});

test("sums of periods are exact, have as many decimals as their amounts, and are up to the end of today; all time counts later days as well", async (context) => {
  const operator = operatorOf(context);
  const { timezone } = zoneAtNoon();
  const handle = `sums-${freshIdentifier().slice(-6)}-${Date.now().toString(36)}`;
  const { key } = await addStreamerWithKeys(operator, handle, "read:donations write:donations");
  const add = async (amount: number, ms: number): Promise<Donation> =>
    recorded(await create(donation({ amount, skipAlert: true, createdAt: new Date(ms).toISOString() }), { key }));
  const periods = async () => (await report("stats", { timezone }, { key })).periods;
  const [now, end] = [Date.now(), Date.parse((await periods()).today.to ?? "")];
  for (const amount of [0.1, 0.2, 1e-7]) for (const ms of [now, now - 86_400_000]) await add(amount, ms);
  await add(4, end - 1);
  await add(8, end);
  const { today, allTime } = await periods();
  expect([today.total, today.previous?.total, allTime.total]).toEqual([4.3000001, 0.3000001, 12.6000002]);
});
