import { describe, expect, test } from "vitest";
import { expectFaults, expectProblem, faultsOf, type Query } from "../../suite/client/api.ts";
import { askReport, at, emptyDays, report } from "../../suite/models/reports.ts";

const labels = async (query: Query): Promise<string[]> => (await report("trends/amount", query)).points.map(({ label }) => label);

test("every bucket is answered, even an empty one, each beginning where the one before ends", async () => {
  const days = await emptyDays(5);
  await at(`${days[1]}T00:00+07:00`, { amount: 1.1 });
  await at(`${days[1]}T23:59:59.999+07:00`, { amount: 2.2 });
  await at(`${days[4]}T12:00+07:00`, { amount: 4 });
  const { points, from, to } = await report("trends/amount", { from: days[0] as string, to: days[4] as string });
  expect(points.map(({ label, total, count, average, cumulative }) => ({ label, total, count, average, cumulative }))).toEqual([
    { label: days[0], total: 0, count: 0, average: null, cumulative: null },
    { label: days[1], total: 3.3, count: 2, average: 1.65, cumulative: null },
    { label: days[2], total: 0, count: 0, average: null, cumulative: null },
    { label: days[3], total: 0, count: 0, average: null, cumulative: null },
    { label: days[4], total: 4, count: 1, average: 4, cumulative: null },
  ]);
  expect(points.map((point) => point.from)).toEqual([from, ...points.slice(0, -1).map((point) => point.to)]);
  expect(points.at(-1)?.to).toBe(to);
});

test("cumulative amounts add up exactly from the start of the range", async () => {
  const days = await emptyDays(4);
  for (const [index, amount] of [0.1, 0.2, 1e-7].entries()) await at(`${days[index]}T12:00+07:00`, { amount });
  await at(`${days[2]}T13:00+07:00`, { amount: 0.3 });
  const { points } = await report("trends/amount", { from: days[0] as string, to: days[3] as string, cumulative: "true" });
  expect(points.map(({ total, cumulative }) => [total, cumulative])).toEqual([
    [0.1, 0.1],
    [0.2, 0.3],
    [0.3000001, 0.6000001],
    [0, 0.6000001],
  ]);
});

describe("buckets are local", () => {
  test.each<[string, Query, string[]]>([
    [
      "weeks begin on Monday and bear ISO numbers",
      { interval: "week", from: "2026-12-27", to: "2027-01-04" },
      ["2026-W52", "2026-W53", "2027-W01"],
    ],
    ["months", { interval: "month", from: "2026-12-31", to: "2027-02-01" }, ["2026-12", "2027-01", "2027-02"]],
    ["years, four digits each", { interval: "year", from: "0000-01-01", to: "0002-01-01", timezone: "UTC" }, ["0000", "0001", "0002"]],
    ["a date that the zone left out", { from: "2011-12-29", to: "2011-12-31", timezone: "Pacific/Apia" }, ["2011-12-29", "2011-12-31"]],
    [
      "an hour that the clock skips",
      { interval: "hour", from: "2024-03-31T00:00Z", to: "2024-03-31T03:00Z", timezone: "Europe/Berlin" },
      ["2024-03-31T01:00+01:00", "2024-03-31T03:00+02:00", "2024-03-31T04:00+02:00"],
    ],
    [
      "an hour that the clock shows twice",
      { interval: "hour", from: "2024-10-27T00:00Z", to: "2024-10-27T03:00Z", timezone: "Europe/Berlin" },
      ["2024-10-27T02:00+02:00", "2024-10-27T02:00+01:00", "2024-10-27T03:00+01:00"],
    ],
    [
      "hours of a zone with a half-hour offset",
      { interval: "hour", from: "2024-05-10T00:00+05:30", to: "2024-05-10T02:00+05:30", timezone: "Asia/Kolkata" },
      ["2024-05-10T00:00+05:30", "2024-05-10T01:00+05:30"],
    ],
  ])("buckets have local bounds: %s", async (_, query, expected) => expect(await labels(query)).toEqual(expected));

  // Where offsets differ by no whole hours, or change within an hour.
  test.each([
    ["America/St_Johns", "2010-03-14T03:31Z"],
    ["America/St_Johns", "2010-11-07T02:31Z"],
    ["Australia/Lord_Howe", "2024-04-06T15:00Z"],
    ["Australia/Lord_Howe", "2024-10-05T15:30Z"],
    ["America/Caracas", "2007-12-09T07:00Z"],
    ["Asia/Kathmandu", "1985-12-31T18:30Z"],
    ["Asia/Pyongyang", "2018-05-04T15:00Z"],
    ["Antarctica/Troll", "2024-03-31T01:00Z"],
  ])("a bucket holds instants of one clock hour with one offset alone, where the clocks of %s change at %s", async (timezone, change) => {
    const [hour, at] = [3_600_000, Date.parse(change)];
    const [first, last] = [-5, 5].map((hours) => new Date(at + hours * hour).toISOString()) as [string, string];
    const { points } = await report("trends/amount", { interval: "hour", from: first, to: last, timezone });
    expect(points.map(({ from }) => from)).toEqual([first, ...points.slice(0, -1).map(({ to }) => to)]);
    expect(points.at(-1)?.to).toBe(last);
    for (const { label, from, to } of points) {
      const [clock, begin, end] = [label, from, to].map((text) => Date.parse(text)) as [number, number, number];
      expect([clock <= begin, end <= clock + hour, begin < end], label).toEqual([true, true, true]);
      expect(begin < at && at < end, `${label} goes on across the change`).toBe(false);
      expect([clock, at, Date.parse(first)], label).toContain(begin);
      expect([clock + hour, at, Date.parse(last)], label).toContain(end);
    }
  });

  test.each([
    ["Europe/Berlin", "2024-03-31", 23],
    ["Europe/Berlin", "2024-10-27", 25],
    ["Europe/Berlin", "2024-05-10", 24],
    ["America/Sao_Paulo", "2018-02-17", 25],
    ["America/Sao_Paulo", "2018-02-18", 24],
    ["America/Havana", "2024-11-03", 25],
  ])("in %s the day %s has %i hours, and as a day is one bucket of them", async (timezone, day, hours) => {
    const query = { from: day, to: day, timezone };
    expect(new Set(await labels({ ...query, interval: "hour" })).size).toBe(hours);
    const { points } = await report("trends/amount", query);
    const [point] = points;
    expect([points.length, Date.parse(point?.to ?? "") - Date.parse(point?.from ?? "")]).toEqual([1, hours * 3_600_000]);
  });

  test("a day's bucket of Tokyo and one of Nepal hold what happened on that local day", async () => {
    for (const [timezone, offset] of [
      ["Asia/Tokyo", "+09:00"],
      ["Asia/Kathmandu", "+05:45"],
    ]) {
      const days = await emptyDays(3);
      for (const [day, time, amount] of [
        [0, "23:59:59.999", 1],
        [1, "00:00", 2],
        [1, "23:59:59.999", 4],
        [2, "00:00", 8],
      ] as const)
        await at(`${days[day]}T${time}${offset}`, { amount });
      const { points } = await report("trends/amount", { from: days[0] as string, to: days[2] as string, timezone: timezone as string });
      expect(points.map(({ total }) => total)).toEqual([1, 6, 8]);
    }
  });

  test("the first and the last bucket are cut off where the range begins and ends", async () => {
    const [day = ""] = await emptyDays(1);
    await at(`${day}T09:59:59.999Z`);
    await at(`${day}T10:00Z`, { amount: 7 });
    const { points } = await report("trends/amount", { interval: "year", from: `${day}T10:00Z`, to: `${day}T11:00Z`, timezone: "UTC" });
    expect(points).toMatchObject([{ label: day.slice(0, 4), from: `${day}T10:00:00.000Z`, to: `${day}T11:00:00.000Z`, total: 7 }]);
  });
});

describe.each(["trends/amount", "trends/count"] as const)("the default range of %s", (name) => {
  test(`the default range of ${name} is the last 30 local days`, async () => {
    const { points, asOf, from, to } = await report(name, { timezone: "UTC" });
    expect([points.length, points.at(-1)?.label]).toEqual([30, asOf.slice(0, 10)]);
    const begin = Date.parse(`${asOf.slice(0, 10)}T00:00Z`);
    const day = 86_400_000;
    expect([from, to].map((end) => Date.parse(end ?? ""))).toEqual([begin - 29 * day, begin + day]);
  });

  test(`the default range of ${name} ends today when only from is sent, and holds 30 days when only to is`, async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const { points, asOf } = await report(name, { timezone: "UTC", from: yesterday });
    const days = (Date.parse(asOf.slice(0, 10)) - Date.parse(yesterday.slice(0, 10))) / 86_400_000; // two at midnight
    expect([points.length, points.at(-1)?.label]).toEqual([days + 1, asOf.slice(0, 10)]);
    const { points: before } = await report(name, { to: "2024-03-01" });
    expect([before.length, before[0]?.label, before.at(-1)?.label]).toEqual([30, "2024-02-01", "2024-03-01"]);
    // Berlin changes its clocks on 31 March and on 27 October: these 30 days are an hour shorter, or longer.
    for (const [last, first] of [
      ["2024-04-10", "2024-03-11T23:00:00.000Z"],
      ["2024-11-10", "2024-10-11T22:00:00.000Z"],
    ] as const) {
      const { points: local, from } = await report(name, { to: last, timezone: "Europe/Berlin" });
      expect([local.length, local.at(-1)?.label, from]).toEqual([30, last, first]);
    }
  });

  test(`${name} refuses a from in the future without a to, and a to at the first instant, with invalid_range, and names the parameter`, async () => {
    for (const [parameter, bound] of Object.entries({ from: "9000-01-01", to: "0000-01-01T00:00+23:59" })) {
      const reply = await askReport(name, { [parameter]: bound });
      expectProblem(reply, 400, "invalid_range");
      expect(faultsOf(reply)).toEqual([`${parameter} out_of_range`]);
    }
  });
});

test("1,000 buckets are answered, 1,001 refused with too_many_buckets, which names the interval", async () => {
  const query = { interval: "hour", from: "2024-01-01T00:00Z", timezone: "UTC" };
  expect(await labels({ ...query, to: "2024-02-11T16:00Z" })).toHaveLength(1000);
  const reply = await askReport("trends/amount", { ...query, to: "2024-02-11T16:00:00.001Z" });
  expectProblem(reply, 400, "too_many_buckets");
  expect(faultsOf(reply)).toEqual(["interval out_of_range"]);
  expectProblem(await askReport("trends/amount", { interval: "hour", from: "0000-01-01", to: "9999-12-31" }), 400, "too_many_buckets");
});

test("an unknown interval, and a cumulative that is neither true nor false, are refused", async () =>
  expectFaults(
    await askReport("trends/amount", { interval: "minute", cumulative: "yes" }),
    "cumulative invalid_type",
    "interval invalid_enum",
  ));

test("each bucket counts its donations and its different donators", async () => {
  const days = await emptyDays(3);
  for (const [day, donatorName] of [
    [0, "ann"],
    [0, "ANN"],
    [0, "bob"],
    [2, "ann"],
  ] as const)
    await at(`${days[day]}T12:00+07:00`, { donatorName });
  const { points, interval } = await report("trends/count", { from: days[0] as string, to: days[2] as string });
  expect(interval).toBe("day");
  expect(points.map(({ label, count, uniqueDonators }) => [label, count, uniqueDonators])).toEqual([
    [days[0], 3, 2],
    [days[1], 0, 0],
    [days[2], 1, 1],
  ]);
});

test("a donator who donates on two days of one week counts once in that week", async () => {
  const days = await emptyDays(21);
  for (const day of days) await at(`${day}T12:00+07:00`, { donatorName: "ann" });
  const { points } = await report("trends/count", { interval: "week", from: days[0] as string, to: days[20] as string });
  expect(points.length).toBeGreaterThanOrEqual(3);
  expect(points.map(({ uniqueDonators }) => uniqueDonators)).toEqual(points.map(() => 1));
  expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(21);
});

test.each(["Asia/Tokyo", "Asia/Kathmandu", "Europe/Berlin"])(
  "count buckets of %s have the same bounds as the amounts'",
  async (timezone) => {
    const query = { from: "2024-03-20", to: "2024-04-10", timezone, interval: "hour" };
    const ends = (points: { label: string; from: string; to: string }[]) => points.map(({ label, from, to }) => [label, from, to]);
    const { interval, points } = await report("trends/count", query);
    expect([interval, ends(points)]).toEqual([query.interval, ends((await report("trends/amount", query)).points)]);
  },
);

test("more than 1,000 count buckets are refused with too_many_buckets", async () =>
  expectProblem(await askReport("trends/count", { interval: "day", from: "2020-01-01", to: "2022-09-27" }), 400, "too_many_buckets"));

test("cumulative counts add up from the start of the range, and are null unless they are requested", async () => {
  const days = await emptyDays(5);
  for (const day of [1, 1, 4]) await at(`${days[day]}T12:00+07:00`, {});
  const range = { from: days[0] as string, to: days[4] as string };
  const asked = await report("trends/count", { ...range, cumulative: "true" });
  expect(asked.points.map(({ count, cumulative }) => [count, cumulative])).toEqual([
    [0, 0],
    [2, 2],
    [0, 2],
    [0, 2],
    [1, 3],
  ]);
  const { points } = await report("trends/count", range);
  expect(points.map(({ cumulative }) => cumulative)).toEqual([null, null, null, null, null]);
});
