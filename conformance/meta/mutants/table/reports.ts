// Mutants of reports.

import { inContract, inSchema } from "../contract-edit.ts";
import { cacheAnswers } from "../interceptors.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inDecimal = (from: string, to: string): Edit => ({ file: "src/db/decimal.ts", from, to });
const inReports = (file: string, from: string, to: string): Edit => ({ file: `src/reports/${file}.ts`, from, to });
const inRange = (from: string, to: string): Edit => ({ file: "src/http/range.ts", from, to });
const inDonatorKey = (from: string, to: string): Edit => ({ file: "src/donations/donator-key.ts", from, to });

export const reports: Mutants = {
  "to-without-its-day": {
    broken: "a range ends before the day that `to` names",
    edit: inRange("startOfDay(bound, 1, timezone)", "startOfDay(bound, 0, timezone)"),
    killedBy: [["reports/reports", /date is the local day, and `to` includes that day/]],
  },
  "from-excluded": {
    broken: "a range begins one millisecond after `from`",
    edit: inRange("startOfDay(bound, 0, timezone) : parseInstant(bound).ms", "startOfDay(bound, 0, timezone) : parseInstant(bound).ms + 1"),
    killedBy: [["reports/reports", /includes from and excludes to/]],
  },
  "day-of-utc": {
    broken: "the days of a range are UTC days",
    edit: inRange("zoneOf(timezone)", 'zoneOf("UTC")'),
    killedBy: [["reports/reports", /quarter-hour offset/]],
  },
  "buckets-of-utc": {
    broken: "buckets begin where UTC days begin",
    edit: inReports("calendar", "const zone = zoneOf(timezone);", 'const zone = zoneOf("UTC");'),
    killedBy: [["reports/get-amount-trends", /buckets are local/]],
  },
  "days-of-24-hours": {
    broken: "every local day has 24 hours, also when clocks change",
    edit: inReports(
      "calendar",
      "const to = startOfDay(following, zone);",
      'const to = interval === "day" ? from + msPerDay : startOfDay(following, zone);',
    ),
    killedBy: [["reports/get-amount-trends", /Europe\/Berlin the day .* has .* hours/]],
  },
  "weeks-from-sunday": {
    broken: "weeks begin on Sunday",
    edit: inReports("calendar", "(day + 3) % 7", "(day + 4) % 7"),
    killedBy: [["reports/get-amount-trends", /week/]],
  },
  "buckets-1001": {
    broken: "a trend of 1,001 buckets is answered",
    edit: inContract('"x-max-buckets": 1000', '"x-max-buckets": 1001'),
    killedBy: [["reports/get-amount-trends", /1,001 refused with too_many_buckets/]],
  },
  "cumulative-rounded": {
    broken: "the cumulative sum is rounded to satang at each point",
    edit: inReports(
      "handlers",
      "query.cumulative ? toNumber(soFar) : null",
      "query.cumulative ? Number(toNumber(soFar).toFixed(2)) : null",
    ),
    killedBy: [["reports/get-amount-trends", /cumulative amounts add up exactly/]],
  },
  "median-lower": {
    broken: "the median of an even number of donations is the lower of the two middle amounts",
    edit: inReports("handlers", "toNumber(half(plus(...found.middles)))", "toNumber(found.middles[0])"),
    killedBy: [["reports/get-donation-stats", /figures/]],
  },
  "average-cut-off": {
    broken: "averages are truncated to two decimals instead of rounded",
    edit: inDecimal("(magnitude(numerator) + magnitude(denominator))", "magnitude(numerator)"),
    killedBy: [["reports/get-donation-stats", /figures/]],
  },
  "largest-first-recorded": {
    broken: "the largest of several equal donations is the one recorded first",
    edit: inReports("queries/short-history", "order by amount, sequence`", "order by amount, sequence desc`"),
    killedBy: [["reports/get-donation-stats", /among equals the one recorded last/]],
  },
  "tests-counted": {
    broken: "reports count test donations by default",
    edit: inSchema("ReportParameters.source", '"native"', '"native", "test"'),
    killedBy: [["reports/get-donation-stats", /test donations count in the stats only when source names them/]],
  },
  "donators-by-name": {
    broken: "donators are grouped by name although they have an identifier",
    edit: inDonatorKey("if (identifier !== null) return", "if (identifier === null && false) return"),
    killedBy: [["reports/get-donation-stats", /equal identifiers are one donator/]],
  },
  "donators-by-case": {
    broken: "names that differ in case alone are different donators",
    edit: {
      file: "src/base/fold-text.ts",
      from: 'text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase()',
      to: 'text.normalize("NFKC")',
    },
    killedBy: [["reports/get-donation-stats", /names that differ in case/]],
  },
  "periods-shifted": {
    broken: "the previous period is one day too short",
    edit: inReports("ranges", "first - (after - first);", "first - (after - first) + 1;"),
    killedBy: [["reports/get-donation-stats", /period before each has as many days/]],
  },
  "growth-of-now": {
    broken: "growth is given in percent of the present period instead of the previous one",
    edit: inReports("handlers", "units: minus(now, before).units * 100n }, before)", "units: minus(now, before).units * 100n }, now)"),
    killedBy: [["reports/get-donation-stats", /change is growth in percent/]],
  },
  "ranks-dense": {
    broken: "no rank is skipped after equal ranks",
    edit: inReports("queries/short-history", "rank = index + 1;", "rank += 1;"),
    killedBy: [["reports/list-top-donators", /share a rank and the next rank is skipped/]],
  },
  "ranks-of-floats": {
    broken: "donators' sums are added up as floating point numbers",
    edit: inReports(
      "queries/short-history",
      "total: donations.reduce((sum, { amount }) => plus(sum, amount), zero)",
      "total: decimal(donations.reduce((sum, { amount }) => sum + Number(`${amount.units}e-${amount.scale}`), 0).toFixed(20))",
    ),
    killedBy: [["reports/list-top-donators", /sums are exact/]],
  },
  "percentages-rounded-down": {
    broken: "percentages are each rounded down, so that their sum is less than 100",
    edit: inDecimal("raised.has(index) ? 1n : 0n", "raised.has(-1) ? 1n : 0n"),
    killedBy: [["reports/get-channel-breakdown", /add up to 100/]],
  },
  stale: {
    broken: "a cache answers reports of up to two seconds ago",
    interceptor: cacheAnswers(
      ({ method, path, headers }) => (method === "GET" && path.includes("stats") ? `${headers.authorization} ${path}` : null),
      2_000,
    ),
    killedBy: [["reports/reports", /counts each donation as soon as it was answered/]],
  },
};
