import { expect, test } from "vitest";
import { exampleOf, openStudio } from "../testing.ts";
import { firstDay } from "./money.ts";

test.each([
  ["day", "2028-03-01", "2028-02-01"],
  ["day", "2026-03-01", "2026-01-31"],
  ["week", "2026-11-22", "2026-05-25"], // a Sunday: its week began on the 16th
  ["week", "2026-11-23", "2026-06-01"],
  ["month", "2026-11-30", "2025-12-01"],
  ["month", "2028-02-29", "2027-03-01"],
] as const)("the bars by %s that end with %s begin with %s, a whole one", (by, to, from) => {
  expect(firstDay(by, to)).toBe(from);
});

test.each(["day", "week", "month"] as const)("the money page asks all reports for the same local days: by %s", async (by) => {
  const asked: unknown[] = [];
  const ask = (name: Parameters<typeof exampleOf>[0]) => async (_id: string, query: Readonly<Record<string, unknown>>) => {
    asked.push([query["from"], query["to"], query["interval"] ?? by]);
    return exampleOf(name) as never;
  };
  const reports = {
    ...{ stats: ask("DonationStats"), amountTrends: ask("AmountTrends") },
    ...{ topDonators: ask("TopDonators"), channels: ask("ChannelBreakdown") },
  };
  const { html } = await openStudio({ reports }).get(`/studio/money?by=${by}`);
  expect(asked).toEqual(Array(4).fill([firstDay(by, "2026-11-21"), "2026-11-21", by]));
  expect(html).toContain(`href="/studio/money?by=${by}" aria-current="true"`);
});

test("an unknown size of bars is days", async () => {
  expect((await openStudio().get("/studio/money?by=fortnight")).html).toContain("Last 30 days");
});

test("each bar is a link to the donations of its days, with its amount in words, and stands in a table too", async () => {
  const { html } = await openStudio().get("/studio/money");
  const link = "/studio/history?from=2026-11-20&amp;to=2026-11-20";
  expect(html.split(link)).toHaveLength(3);
  expect(html).toContain("<caption>");
  for (const text of ["20 Nov", "฿123.45", "1 donation"]) expect(html).toContain(text);
});

test("growth is shown against as many days before, and not where there was nothing", async () => {
  const { html } = await openStudio().get("/studio/money");
  expect(html).toContain("+23 %");
  expect(html).toContain("so far, against the whole day before");
  const stats = exampleOf("DonationStats");
  const today = { ...stats.periods.today, change: { total: null, count: null } };
  const silent = { ...stats, periods: { ...stats.periods, today, thisWeek: today, thisMonth: today } };
  expect((await openStudio({ reports: { stats: async () => silent } }).get("/studio/money")).html).not.toContain("so far");
});

test.each([
  [-12, "-12 %", "-12 %"],
  [899, "+899 %", "+899 %"],
  [900, "10×", "10 เท่า"],
  [99_900, "1,000×", "1,000 เท่า"],
  [27_062_400, "&gt; 1,000×", "มากกว่า 1,000 เท่า"],
])("a growth of %d % is written as %s, and %s in Thai", async (total, english, thai) => {
  const stats = exampleOf("DonationStats");
  const today = { ...stats.periods.today, change: { total, count: 1 } };
  const studio = openStudio({ reports: { stats: async () => ({ ...stats, periods: { ...stats.periods, today } }) } });
  for (const [language, words] of [
    ["en", english],
    ["th", thai],
  ] as const)
    expect((await studio.get("/studio/money", language)).html).toContain(`">${words}</span>`);
});

test.each([
  [77, "฿77<"],
  [77.7, "฿77.70<"],
  [1_000.1, "฿1,000.10<"],
  [0.001, "฿0.001<"],
])("the total of %d is written whole or to the satang, as widgets write it, unless it is less than one", async (total, words) => {
  const stats = exampleOf("DonationStats");
  const today = { ...stats.periods.today, total };
  const studio = openStudio({ reports: { stats: async () => ({ ...stats, periods: { ...stats.periods, today } }) } });
  expect((await studio.get("/studio/money")).html).toContain(words);
});

test("without donations the page says so, without chart and rankings", async () => {
  const stats = { ...exampleOf("DonationStats"), count: 0, total: 0, largest: null, latest: null };
  const { html } = await openStudio({ reports: { stats: async () => stats } }).get("/studio/money");
  expect(html).toContain("No donations in this time");
  for (const part of ['class="chart"', 'id="top"', 'id="channels"']) expect(html).not.toContain(part);
});

test("a donator's name that looks like markup is escaped on the money page", async () => {
  const top = exampleOf("TopDonators");
  const named = { ...top, donators: top.donators.map((one) => ({ ...one, name: "<script>", identifier: '"><script>' })) };
  expect((await openStudio({ reports: { topDonators: async () => named } }).get("/studio/money")).html).not.toContain("<script>");
});
