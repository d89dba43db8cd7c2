import { expect, test } from "vitest";
import { answer, exampleOf, openStudio } from "../testing.ts";
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
  const ask =
    (name: Parameters<typeof exampleOf>[0]) =>
    async ({ query = {} }: { query?: Record<string, unknown> }) => {
      asked.push([query["from"], query["to"], query["interval"] ?? by]);
      return { body: { data: exampleOf(name) } } as never;
    };
  const answers = {
    ...{ getDonationStats: ask("DonationStats"), getAmountTrends: ask("AmountTrends") },
    ...{ listTopDonators: ask("TopDonators"), getChannelBreakdown: ask("ChannelBreakdown") },
  };
  const { html } = await openStudio({ answers }).get(`/studio/money?by=${by}`);
  const ofDays = asked.filter((one) => !String(one).includes("T"));
  expect(ofDays).toEqual(Array(4).fill([firstDay(by, "2026-11-21"), "2026-11-21", by]));
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

const { periods, ...rest } = exampleOf("DonationStats");

/** The page of a streamer with a total of each period so far, and one of each span before, which a report is asked about. */
async function comparing(total: number, before: number, language: "th" | "en" = "en") {
  const asked: unknown[] = [];
  const so = { ...periods.today, total };
  const getDonationStats = async ({ query: { from, to } = {} }: { query?: Record<string, unknown> }) => {
    const isBefore = String(from).includes("T");
    if (isBefore) asked.push([from, to]);
    const data = { ...rest, total: isBefore ? before : total, periods: { ...periods, today: so, thisWeek: so, thisMonth: so } };
    return { body: { data } };
  };
  return { asked, html: (await openStudio({ answers: { getDonationStats } }).get("/studio/money", language)).html };
}

test("day, week and month so far are compared with those before until the same time, and the page says with what", async () => {
  const { asked, html } = await comparing(150, 100); // on Saturday 21 November 2026, at 10:00 in Bangkok
  expect(asked).toEqual([
    ["2026-11-19T17:00:00.000Z", "2026-11-20T03:00:00.000Z"],
    ["2026-11-08T17:00:00.000Z", "2026-11-14T03:00:00.000Z"],
    ["2026-09-30T17:00:00.000Z", "2026-10-21T03:00:00.000Z"],
  ]);
  const words = html.replace(/<[^>]+>/g, "");
  for (const than of ["yesterday until 10:00", "last week until 14 Nov, 10:00", "last month until 21 Oct, 10:00"])
    expect(words).toContain(`+50 % against ฿100 ${than}`);
  expect((await comparing(150, 100, "th")).html).toContain("เทียบ ฿100 สัปดาห์ก่อนถึง 14 พ.ย. 10:00");
});

test("nothing is compared with a time in which nothing came in", async () => {
  expect((await comparing(150, 0)).html).not.toContain("against");
});

test.each([
  [88, 100, "-12 %", "-12 %"],
  [999, 100, "+899 %", "+899 %"],
  [1_000, 100, "10×", "10 เท่า"],
  [1_000, 1, "1,000×", "1,000 เท่า"],
  [270_625, 1, "&gt; 1,000×", "มากกว่า 1,000 เท่า"],
])("%d against %d is written as %s, and %s in Thai", async (total, before, english, thai) => {
  expect((await comparing(total, before)).html).toContain(`">${english}</span>`);
  expect((await comparing(total, before, "th")).html).toContain(`">${thai}</span>`);
});

test.each([
  [77, "฿77<"],
  [77.7, "฿77.70<"],
  [1_000.1, "฿1,000.10<"],
  [0.001, "฿0.001<"],
])("the total of %d is written whole or to the satang, as widgets write it, unless it is less than one", async (total, words) => {
  const stats = exampleOf("DonationStats");
  const today = { ...stats.periods.today, total };
  const studio = openStudio({ answers: { getDonationStats: answer({ ...stats, periods: { ...stats.periods, today } }) } });
  expect((await studio.get("/studio/money")).html).toContain(words);
});

test("without donations the page says so, without chart and rankings", async () => {
  const stats = { ...exampleOf("DonationStats"), count: 0, total: 0, largest: null, latest: null };
  const { html } = await openStudio({ answers: { getDonationStats: answer(stats) } }).get("/studio/money");
  expect(html).toContain("No donations in this time");
  for (const part of ['class="chart"', 'id="top"', 'id="channels"']) expect(html).not.toContain(part);
});

test("a donator's name that looks like markup is escaped on the money page", async () => {
  const top = exampleOf("TopDonators");
  const named = { ...top, donators: top.donators.map((one) => ({ ...one, name: "<script>", identifier: '"><script>' })) };
  expect((await openStudio({ answers: { listTopDonators: answer(named) } }).get("/studio/money")).html).not.toContain("<script>");
});

test.each([
  ["th", "ไม่ประสงค์ออกนาม"],
  ["en", "anonymous"],
] as const)("an erased donator is anonymous on the money page, in the reader's language: %s", async (language, words) => {
  const [top, stats] = [exampleOf("TopDonators"), exampleOf("DonationStats")];
  const [erased] = top.donators.map((one) => ({ ...one, name: "(erased)", identifier: null }));
  const largest = stats.largest && { ...stats.largest, donatorName: "(erased)" };
  const answers = { listTopDonators: answer({ ...top, donators: [erased!] }), getDonationStats: answer({ ...stats, largest }) };
  const { html } = await openStudio({ answers }).get("/studio/money", language);
  expect(html).not.toContain("(erased)");
  expect(html.split(words)).toHaveLength(3);
});
