import { expect, test } from "vitest";

import { expectFaults, type Query } from "../../suite/client/api.ts";
import { askReport, at, emptyDays, report } from "../../suite/models/reports.ts";
import { freshIdentifier } from "../../suite/values/donations.ts";

/** Donations of one quiet day: who, how much, at which minute. */
async function donated(...donations: [string, number, number][]): Promise<Query> {
  const [day = ""] = await emptyDays(1);
  for (const [donatorName, amount, minute] of donations)
    await at(`${day}T12:${String(minute).padStart(2, "0")}+07:00`, { donatorName, amount });
  return { from: day, to: day };
}

const ranked = async (query: Query): Promise<string[]> =>
  (await report("top-donators", query)).donators.map(({ rank, name }) => `${rank} ${name}`);

test("donators are ranked by the sum of their amounts, or by the number of their donations", async () => {
  const range = await donated(["ann", 50, 0], ["bob", 30, 1], ["bob", 30, 2], ["cat", 1, 3], ["cat", 1, 4], ["cat", 1, 5]);
  expect(await ranked(range)).toEqual(["1 bob", "2 ann", "3 cat"]);
  expect(await ranked({ ...range, by: "count" })).toEqual(["1 cat", "2 bob", "3 ann"]);
  expect((await report("top-donators", { ...range, by: "count" })).by).toBe("count");
});

test("equal donators share a rank and the next rank is skipped; the one who donated last comes first", async () => {
  const range = await donated(["ann", 50, 0], ["bob", 50, 2], ["cat", 49.99, 3], ["dan", 50, 1], ["eve", 70, 0]);
  expect(await ranked(range)).toEqual(["1 eve", "2 bob", "2 dan", "2 ann", "5 cat"]);
});

test("donators are equal by what they are ranked by alone: their counts share a rank whatever their sums, and their sums whatever their counts", async () => {
  const range = await donated(["ann", 90, 0], ["ann", 5, 1], ["bob", 1, 2], ["bob", 2, 3], ["cat", 95, 4]);
  expect(await ranked({ ...range, by: "count" })).toEqual(["1 bob", "1 ann", "3 cat"]);
  expect(await ranked({ ...range, by: "amount" })).toEqual(["1 cat", "1 ann", "3 bob"]);
});

test("equal donators who donated at the same time stand in the order of their keys", async () => {
  const range = await donated(["dan", 5, 0], ["ann", 5, 0], ["cat", 5, 0], ["bob", 5, 0]);
  expect(await ranked(range)).toEqual(["1 ann", "1 bob", "1 cat", "1 dan"]);
  expect(await ranked({ ...range, limit: 2 })).toEqual(["1 ann", "1 bob"]);
});

test("donators' sums are exact: three tenths equal a tenth and two tenths", async () => {
  expect(await ranked(await donated(["ann", 0.1, 0], ["ann", 0.2, 1], ["bob", 0.3, 2]))).toEqual(["1 bob", "1 ann"]);
});

test("donators' sums have as many decimals as their amounts", async () => {
  const range = await donated(["ann", 0.1, 0], ["ann", 0.2, 1], ["ann", 1e-7, 2], ["bob", 5e-324, 3]);
  expect((await report("top-donators", range)).donators.map(({ name, total }) => [name, total])).toEqual([
    ["ann", 0.3000001],
    ["bob", 5e-324],
  ]);
});

test("a donator has the name as it was written, and not as names are compared", async () => {
  const names = [" @Ｎａｍ  Jai ", "e\u0301", "①\u3000ﬁ"];
  const range = await donated(...names.map((name, index): [string, number, number] => [name, 9 - index, 0]));
  expect((await report("top-donators", range)).donators.map(({ name }) => name)).toEqual(names);
});

test("limit of top donators is 10 unless it is sent", async () => {
  const range = await donated(...Array.from({ length: 12 }, (_, index): [string, number, number] => [`d${index}`, 100 - index, 0]));
  expect(await ranked(range)).toHaveLength(10);
  expect(await ranked({ ...range, limit: 100 })).toHaveLength(12);
  expect(await ranked({ ...range, limit: 1 })).toEqual(["1 d0"]);
});

test("a donator has the name of the latest donation, by createdAt and not by arrival, and all figures", async () => {
  const [day = ""] = await emptyDays(1);
  const identifier = freshIdentifier();
  for (const [time, donatorName, amount] of [
    ["12:00", "second", 1],
    ["13:00", "latest", 2],
    ["11:00", "first", 7],
  ] as const)
    await at(`${day}T${time}Z`, { identifier, donatorName, amount });
  expect((await report("top-donators", { from: day, to: day, timezone: "UTC" })).donators).toEqual([
    {
      rank: 1,
      name: "latest",
      identifier,
      total: 10,
      count: 3,
      average: 3.33,
      firstAt: `${day}T11:00:00.000Z`,
      lastAt: `${day}T13:00:00.000Z`,
    },
  ]);
});

test("donators without an identifier are one by name in any case; an identifier is never taken for a name", async () => {
  const [day = ""] = await emptyDays(1);
  await at(`${day}T11:00Z`, { donatorName: "Somchai" });
  await at(`${day}T12:00Z`, { donatorName: "SOMCHAI" });
  await at(`${day}T13:00Z`, { donatorName: "other", identifier: "somchai" });
  const { donators } = await report("top-donators", { from: day, to: day, timezone: "UTC", by: "count" });
  expect(donators.map(({ name, identifier, count }) => [name, identifier, count])).toEqual([
    ["SOMCHAI", null, 2],
    ["other", "somchai", 1],
  ]);
});

test("donators whose name or identifier every JavaScript object has as a name are donators as any other", async () => {
  const [day = ""] = await emptyDays(1);
  const donators = [
    ...["constructor", "__proto__"].map((donatorName) => ({ donatorName })),
    ...["constructor", "__proto__", "toString"].map((identifier) => ({ identifier })),
  ];
  for (const donator of [...donators, ...donators]) await at(`${day}T12:00+07:00`, donator);
  const range = { from: day, to: day };
  expect((await report("stats", range)).uniqueDonators).toBe(donators.length);
  expect((await report("top-donators", range)).donators.map(({ count }) => count)).toEqual(donators.map(() => 2));
});

test.each(["0", "101", "1.5"])("a limit of %s is refused", async (limit) => {
  expectFaults(await askReport("top-donators", { limit }), limit === "1.5" ? "limit invalid_type" : "limit out_of_range");
});

test("an unknown ranking is refused", async () => expectFaults(await askReport("top-donators", { by: "name" }), "by invalid_enum"));
