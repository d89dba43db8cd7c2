// Wrong answers of reports: sums, counts, ranks, rounding, buckets and ranges.

import { at, changeJson, jsonOf, type Mutants, type WrongAnswer, wrong } from "../mutant.ts";

type Point = { label: string; from: string; to: string; count: number; total: number; average: number | null };
const reports = "getDonationStats listTopDonators getChannelBreakdown getAmountTrends getCountTrends";

/** A server that takes a parameter for another one; `change` may return null for none. */
const asked = (name: string, change: (value: string) => string | null): Pick<WrongAnswer, "url"> => ({
  url: ({ searchParams }) => {
    const value = searchParams.get(name);
    const changed = value === null ? null : change(value);
    if (changed !== null) searchParams.set(name, changed);
    else if (value !== null) searchParams.delete(name);
  },
});

/** A figure of a list, or of any object at the path. */
const figure = (path: string, change: (value: number) => number): Pick<WrongAnswer, "answer"> => ({
  answer: at<number | null>(path, (value) => (typeof value === "number" ? change(value) : value)),
});

/** Only reports of so many donations. */
const ofMany = (count: number): Pick<WrongAnswer, "when"> => ({
  when: (answer) => Number((jsonOf(answer)?.data as { count?: number })?.count) >= count,
});

/** A server whose period is up to now. */
const upToNow = (name: "today" | "allTime"): Pick<WrongAnswer, "on" | "instead"> => ({
  on: "getDonationStats",
  instead: async (request, send) => {
    const answer = await send(request);
    const [period, url] = [
      (jsonOf(answer)?.data as { periods: Record<string, { from: string | null }> })?.periods[name],
      new URL(request.path, "http://server"),
    ];
    if (!period) return answer;
    url.searchParams.delete("from");
    if (period.from) url.searchParams.set("from", period.from);
    url.searchParams.set("to", new Date().toISOString());
    const { total, count, average } = (jsonOf(await send({ ...request, path: url.pathname + url.search }))?.data ?? {}) as Partial<Point>;
    const change = at<object>(`data.periods.${name}`, (one) => ({ ...one, total, count, average }));
    return { ...answer, body: changeJson(answer.body, (body) => change(body, request)) };
  },
});

/** As sketches of sets estimate it: exactly while there are few. */
const estimated = (count: number): number => (count > 1_000 ? Math.round(count * 1.008) : count);

const toSatang = (value: number): number => Math.round(value * 100) / 100;

/** Instants with further digits than milliseconds become the millisecond after them. */
const roundedUp = (bound: string): string => (/^[^9].*\.\d{3}\d*[1-9]/.test(bound) ? new Date(Date.parse(bound) + 1).toISOString() : bound);

export const reportAnswers: Mutants = {
  "to-without-its-day": wrong({
    broken: "a range ends before the day that `to` names",
    on: reports,
    ...asked("to", (to) => (/^\d{4}-\d\d-\d\d$/.test(to) ? `${to}T00:00:00Z` : to)),
    killedBy: [["reports/reports", /stats includes from and excludes to/]],
  }),
  "bounds-rounded-up": wrong({
    broken: "the bounds of a range are rounded up to milliseconds",
    on: reports,
    url: ({ searchParams }) => {
      for (const [name, bound] of [...searchParams]) if (/^(from|to)$/.test(name)) searchParams.set(name, roundedUp(bound));
    },
    killedBy: [["reports/reports", /stats cuts the bounds of a range off/]],
  }),
  "days-of-24-hours": wrong({
    broken: "the last day of a range ends an hour late where clocks have changed on it",
    on: reports,
    answer: at<string | null>("data.to", (to, { path }) =>
      to && /timezone=America/.test(path) ? new Date(Date.parse(to) + 3_600_000).toISOString() : to,
    ),
    killedBy: [["reports/reports", /stats of a local day states its first instant/]],
  }),
  "plus-in-bounds": wrong({
    broken: "a blank in a bound of a range is taken for the plus that it was before it was decoded",
    on: reports,
    ...asked("to", (to) => to.replace(" ", "+")),
    killedBy: [["reports/reports", /stats names a malformed bound/]],
  }),
  "periods-in-satang": wrong({
    broken: "sums of periods are rounded to satang",
    on: "getDonationStats",
    ...figure("data.periods.*.total", toSatang),
    killedBy: [["reports/reports", /sums of periods are exact/]],
  }),
  "largest-in-satang": wrong({
    broken: "the largest amount is rounded to satang",
    on: "getDonationStats",
    ...figure("data.max", toSatang),
    killedBy: [["reports/get-donation-stats", /the largest amount has all of its decimals/]],
  }),
  "donators-in-satang": wrong({
    broken: "donators' sums are rounded to satang",
    on: "listTopDonators",
    ...figure("data.donators.*.total", toSatang),
    killedBy: [["reports/list-top-donators", /as many decimals as their amounts/]],
  }),
  "donators-as-compared": wrong({
    broken: "a top donator has the name by which donators are compared",
    on: "listTopDonators",
    answer: at<string>("data.donators.*.name", (name) => name.normalize("NFKC").trim().replace(/\s+/g, " ").replace(/^@/, "") || name),
    killedBy: [["reports/list-top-donators", /as it was written, and not as names are compared/]],
  }),
  "points-in-satang": wrong({
    broken: "the sum of a trend's point is rounded to satang",
    on: "getAmountTrends",
    ...figure("data.points.*.total", toSatang),
    killedBy: [["reports/get-amount-trends", /cumulative amounts add up exactly/]],
  }),
  "first-source-alone": wrong({
    broken: "of several sources a report counts the first",
    on: reports,
    url: ({ searchParams }) => searchParams.has("source") && searchParams.set("source", String(searchParams.get("source"))),
    killedBy: [["reports/reports", /top-donators keeps the sources/]],
  }),
  "day-of-utc": wrong({
    broken: "the days of a range are those of UTC",
    on: reports,
    ...asked("timezone", (zone) => (zone === "Asia/Kathmandu" ? "UTC" : zone)),
    killedBy: [["reports/reports", /stats takes a day in a zone with a quarter-hour offset/]],
  }),
  "zone-of-windows": wrong({
    broken: "a time zone may have the name that Windows gives it",
    on: reports,
    ...asked("timezone", (zone) => (/Standard Time$/.test(zone) ? "Asia/Bangkok" : zone)),
    killedBy: [["reports/reports", /stats with Windows' name of a zone/]],
  }),
  "foreign-counted": wrong({
    broken: "a report counts one donation more",
    on: reports,
    ...figure("data.count", (count) => count + 1),
    killedBy: [["reports/reports", /stats counts no donations of another streamer/]],
  }),
  "buckets-of-utc": wrong({
    broken: "buckets begin where UTC days begin",
    on: "getAmountTrends",
    url: ({ searchParams }) => searchParams.set("timezone", "UTC"),
    killedBy: [["reports/get-amount-trends", /buckets have local bounds: hours of a zone with a half-hour offset/]],
  }),
  "cumulative-rounded": wrong({
    broken: "the cumulative sum is rounded to satang at each point",
    on: "getAmountTrends",
    ...figure("data.points.*.cumulative", toSatang),
    killedBy: [["reports/get-amount-trends", /cumulative amounts add up exactly/]],
  }),
  "cumulative-of-its-bucket": wrong({
    broken: "the cumulative number of donations is that of the bucket alone",
    on: "getCountTrends",
    answer: at<Point & { cumulative: number | null }>("data.points.*", (point) => ({
      ...point,
      cumulative: point.cumulative === null ? null : point.count,
    })),
    killedBy: [["reports/get-amount-trends", /cumulative counts add up/]],
  }),
  "empty-buckets-left-out": wrong({
    broken: "a bucket without donations is not answered",
    on: "getAmountTrends",
    answer: at<Point[]>("data.points", (points) => points.filter(({ count }) => count > 0)),
    killedBy: [["reports/get-amount-trends", /every bucket is answered/]],
  }),
  "donators-not-different": wrong({
    broken: "unique donators of a bucket are its donations",
    on: "getCountTrends",
    answer: at<Point>("data.points.*", (point) => ({ ...point, uniqueDonators: point.count })),
    killedBy: [["reports/get-amount-trends", /different donators/]],
  }),
  "week-one-digit": wrong({
    broken: "the number of a week below 10 has one digit",
    on: "getAmountTrends getCountTrends",
    answer: at<string>("data.points.*.label", (label) => label.replace(/W0/, "W")),
    killedBy: [["reports/bucket-labels", /buckets of week in UTC/]],
  }),
  "year-unpadded": wrong({
    broken: "a year below 1000 is not written with four digits",
    on: "getAmountTrends getCountTrends",
    answer: at<string>("data.points.*.label", (label) => label.replace(/^0+/, "")),
    killedBy: [["reports/bucket-labels", /buckets of year in UTC/]],
  }),
  "hour-label-in-utc": wrong({
    broken: "the label of an hour lacks the minutes of the offset",
    on: "getAmountTrends getCountTrends",
    answer: at<string>("data.points.*.label", (label) => label.replace(/([+-]\d\d):\d\d$/, "$1")),
    killedBy: [["reports/bucket-labels", /hours in UTC bear the right label from 2023-12-31/]],
  }),
  "median-in-satang": wrong({
    broken: "the median is cut off to satang",
    on: "getDonationStats",
    ...figure("data.median", (median) => Math.floor(median * 100) / 100),
    killedBy: [["reports/get-donation-stats", /the smallest double counts/]],
  }),
  "average-of-nothing": wrong({
    broken: "the average of no donations is 0",
    on: "getDonationStats",
    answer: at("data.average", (average) => average ?? 0),
    killedBy: [["reports/get-donation-stats", /without donations/]],
  }),
  "tests-counted": wrong({
    broken: "reports count test donations by default",
    on: "getDonationStats",
    url: ({ searchParams }) => {
      if (!searchParams.has("source")) for (const source of ["external", "native", "test"]) searchParams.append("source", source);
    },
    killedBy: [["reports/get-donation-stats", /test donations count in the stats only when source names them/]],
  }),
  "growth-of-nothing": wrong({
    broken: "growth is 0 where the period before had nothing",
    on: "getDonationStats",
    answer: at<number | null>("data.periods.*.change.*", (change) => change ?? 0),
    killedBy: [["reports/get-donation-stats", /change is growth in percent/]],
  }),
  "average-cut-off": wrong({
    broken: "averages are one satang less than rounded",
    on: "getDonationStats getChannelBreakdown getAmountTrends listTopDonators",
    answer: at<unknown>("data", (data) =>
      JSON.parse(JSON.stringify(data), (name, value) => (name === "average" && typeof value === "number" ? toSatang(value - 0.01) : value)),
    ),
    killedBy: [["reports/reports", /averages of the stats/]],
  }),
  "ranks-dense": wrong({
    broken: "no rank is skipped after equal ranks",
    on: "listTopDonators",
    answer: at<{ rank: number }[]>("data.donators", (all) => {
      const ranks = [...new Set(all.map(({ rank }) => rank))];
      return all.map((one) => ({ ...one, rank: ranks.indexOf(one.rank) + 1 }));
    }),
    killedBy: [["reports/list-top-donators", /share a rank and the next rank is skipped/]],
  }),
  "sums-of-floats": wrong({
    broken: "donators' sums are compared as floating-point numbers, so that a tenth and two tenths are more than three",
    on: "listTopDonators",
    answer: at<{ rank: number; total: number }[]>("data.donators", (all) =>
      all.map((one, index) => (one.total === 0.3 && index > 0 ? { ...one, rank: index + 1 } : one)),
    ),
    killedBy: [["reports/list-top-donators", /sums are exact/]],
  }),
  "percentages-rounded-down": wrong({
    broken: "percentages are each rounded to one decimal",
    on: "getChannelBreakdown",
    ...figure("data.channels.*.percentage", (percentage) => Math.round(percentage * 10) / 10),
    killedBy: [["reports/get-channel-breakdown", /add up to 100/]],
  }),
  "breakdown-by-name": wrong({
    broken: "channels stand in the order of their names",
    on: "getChannelBreakdown",
    answer: at<{ channel: string }[]>("data.channels", (all) => all.toSorted((one, other) => (one.channel < other.channel ? -1 : 1))),
    killedBy: [["reports/get-channel-breakdown", /the largest total first/]],
  }),
  "erased-without-a-name": wrong({
    broken: "an erased donator has another name among the top donators than in lists",
    on: "listTopDonators",
    answer: at<string>("data.donators.*.name", (name) => (name === "(erased)" ? "?" : name)),
    killedBy: [["donations/erase-donator", /among the top donators, without an identifier/]],
  }),
  "as-of-half-a-minute-ago": wrong({
    broken: "a report says that it was made half a minute before, although it counts what was recorded since",
    on: reports,
    answer: at<string>("data.asOf", (time) => new Date(Date.parse(time) - 30_000).toISOString()),
    killedBy: [["reports/reports", /breakdown has an asOf that is no earlier/]],
  }),
  "long-sums-off": wrong({
    broken: "the sum of a long history is a satang too large",
    on: "getDonationStats",
    ...ofMany(500),
    ...figure("data.total", (total) => total + 0.01),
    killedBy: [["reports/histories", /stats of a long history whose sums were made anew/]],
  }),
  "many-donators-estimated": wrong({
    broken: "more than a thousand different donators are estimated",
    on: "getDonationStats",
    ...figure("data.uniqueDonators", estimated),
    killedBy: [["reports/histories", /different donators are counted exactly/]],
  }),
  "many-donators-of-buckets-estimated": wrong({
    broken: "more than a thousand different donators of a bucket are estimated",
    on: "getCountTrends",
    ...figure("data.points.*.uniqueDonators", estimated),
    killedBy: [["reports/histories", /different donators are counted exactly/]],
  }),
  "today-until-now": wrong({
    broken: "today leaves out donations dated later today",
    ...upToNow("today"),
    killedBy: [["reports/reports", /sums of periods are exact/]],
  }),
  "all-time-until-now": wrong({
    broken: "all time leaves out donations of the future",
    ...upToNow("allTime"),
    killedBy: [["reports/reports", /sums of periods are exact/]],
  }),
};
