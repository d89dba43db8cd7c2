import { expect, test } from "vitest";

import { expectFaults, expectProblem } from "../../suite/client/api.ts";
import { askReport, at, emptyDays, report } from "../../suite/models/report-requests.ts";

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
    expect(ends((await report("trends/count", query)).points)).toEqual(ends((await report("trends/amount", query)).points));
  },
);

test("more than 1,000 count buckets are refused with too_many_buckets", async () =>
  expectProblem(await askReport("trends/count", { interval: "day", from: "2020-01-01", to: "2022-09-27" }), 400, "too_many_buckets"));

test("cumulative is refused by count trends: it is a parameter of the amounts only", async () =>
  expectFaults(await askReport("trends/count", { cumulative: "true" }), "cumulative unknown_parameter"));
