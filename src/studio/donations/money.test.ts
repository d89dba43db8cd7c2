import { expect, test } from "vitest";
import { writeFor } from "../../ui/reader.ts";
import { answer, exampleOf, openStudio } from "../testing.ts";

const spans = [
  ["7", "2026-11-15", "day"],
  ["30", "2026-10-23", "day"],
  ["90", "2026-08-24", "day"],
  ["year", "2025-11-24", "week"],
] as const;

test.each(spans)("the money page asks all reports for the same local days, and says which: %s", async (span, from, interval) => {
  const asked: unknown[] = [];
  const ask =
    (name: Parameters<typeof exampleOf>[0]) =>
    async ({ query = {} }: { query?: Record<string, unknown> }) => {
      asked.push([query["from"], query["to"], query["interval"] ?? interval]);
      return { body: { data: exampleOf(name) } } as never;
    };
  const answers = {
    ...{ getDonationStats: ask("DonationStats"), getAmountTrends: ask("AmountTrends") },
    ...{ listTopDonators: ask("TopDonators"), getChannelBreakdown: ask("ChannelBreakdown") },
  };
  const { html } = await openStudio({ answers }).get(`/studio/money?span=${span}`);
  const ofDays = asked.filter((one) => !String(one).includes("T"));
  expect(ofDays).toEqual(Array(4).fill([from, "2026-11-21", interval]));
  expect(html).toContain(`href="/studio/money?span=${span}" aria-current="true"`);
});

test("figures of a span are compared with as many days before, and the page says so", async () => {
  const getDonationStats = async ({ query: { from } = {} }: { query?: Record<string, unknown> }) => {
    const factor = from === "2026-10-22T17:00:00.000Z" || from === "2026-10-23" ? 2 : 1;
    return { body: { data: { ...exampleOf("DonationStats"), total: 100 * factor, count: 10 * factor } } };
  };
  const words = (await openStudio({ answers: { getDonationStats } }).get("/studio/money")).html.replace(/<[^>]+>/g, "");
  for (const part of ["฿200+100% from ฿100", "20+100% from 10", "Against the 30 days before, until the same time"])
    expect(words).toContain(part);
});

test.each([
  ["from=2026-02-30&to=2026-03-01", "from"],
  ["from=2026-03-02&to=2026-03-01", "to"],
  ["from=x", "from"],
])("days at fault, %s, are named at their field, and nothing is shown", async (query, field) => {
  const { status, html } = await openStudio().get(`/studio/money?span=own&${query}`);
  expect([status, html.includes(`id="field-${field}-fault"`), html.includes('class="chart"')]).toEqual([400, true, false]);
});

test("the title of a span has its days for a reader whose clocks are 14 hours ahead of UTC, too", async () => {
  const address = "/studio/money?span=own&from=2026-11-01&to=2026-11-05";
  const { html } = await writeFor({ timeZone: "Pacific/Kiritimati" }, () => openStudio().get(address));
  expect(html).toContain("1 November 2026 – 5 November 2026");
});

test("a span so long that as many days before it would be before the year 0 is shown without a comparison", async () => {
  const { status, html } = await openStudio().get("/studio/money?span=own&from=1000-01-01&to=2026-11-21");
  expect([status, html.includes("days before")]).toEqual([200, false]);
});

test("an instant in the address of a span is its day", async () => {
  const { status, html } = await openStudio().get("/studio/money?span=own&from=2026-11-01T00:00:00Z&to=2026-11-05T12:00:00Z");
  expect([status, html.includes("1 November 2026 – 5 November 2026")]).toEqual([200, true]);
});

test("the scale of the chart is a choice that keeps the span, and the span keeps it", async () => {
  const { html } = await openStudio().get("/studio/money?span=7&scale=log");
  for (const link of [
    '/studio/money?span=7&amp;scale=log" aria-current="true"',
    '/studio/money?span=7"',
    '/studio/money?span=30&amp;scale=log"',
  ])
    expect(html).toContain(link);
});

test("the live parts of the money page are those of its span", async () => {
  const studio = openStudio();
  const { html } = await studio.get("/studio/money?span=own&from=2026-11-01&to=2026-11-20&scale=log");
  const [, source = ""] = /data-source="([^"]+)"/.exec(html) ?? [];
  const now = (await studio.get(source.replaceAll("&amp;", "&"))).html;
  for (const [, id] of html.matchAll(/id="(live-\w+)" data-live/g)) expect(now).toContain(`id="${id}"`);
  const chart = (text: string) => /<div id="live-chart".*?<\/ol>/s.exec(text)?.[0];
  expect(chart(now)).toBe(chart(html));
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
    ["2026-09-22T17:00:00.000Z", "2026-10-22T03:00:00.000Z"], // the 30 days before those of the chart
    ["2026-11-19T17:00:00.000Z", "2026-11-20T03:00:00.000Z"],
    ["2026-11-08T17:00:00.000Z", "2026-11-14T03:00:00.000Z"],
    ["2026-09-30T17:00:00.000Z", "2026-10-21T03:00:00.000Z"],
  ]);
  const words = html.replace(/<[^>]+>/g, "");
  for (const than of ["yesterday until 10:00", "last week until 14 Nov, 10:00", "last month until 21 Oct, 10:00"])
    expect(words).toContain(`+50% against ฿100 ${than}`);
  expect((await comparing(150, 100, "th")).html).toContain("เทียบ ฿100 สัปดาห์ก่อนถึง 14 พ.ย. 10:00");
});

test("nothing is compared with a time in which nothing came in", async () => {
  expect((await comparing(150, 0)).html).not.toContain("against");
});

test.each([
  [88, 100, "-12%", "-12%"],
  [999, 100, "+899%", "+899%"],
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
