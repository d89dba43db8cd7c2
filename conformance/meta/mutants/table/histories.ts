// Mutants of one way of several to compute an answer: reports of a short history, and of a long one, whose sums of the past are kept; lists
// of a range of thousands of donations.

import type { Edit, Mutants } from "../mutant.ts";

const inReports = (file: string, from: string, to: string): Edit => ({ file: `src/reports/${file}`, from, to });
const inAmountPage = (from: string, to: string): Edit => ({ file: "src/donations/list/amount-page.ts", from, to });

const long = (name: string): RegExp => new RegExp(`${name} of a long history whose sums were made anew`);
const voidedLater = (name: string): RegExp => new RegExp(`${name} of a long history of which some donations were voided later`);
const short = (name: string): RegExp => new RegExp(`${name} of a short history`);

const ofLong: Mutants = {
  "kept-sums-edges-added": {
    broken: "donations at the edges of a range are added to the kept sums where they had to be subtracted",
    edit: inReports(
      "queries/sums.ts",
      "select partial.span, partial.sign, d.amount * partial.sign from",
      "select partial.span, partial.sign, d.amount from",
    ),
    killedBy: [["reports/histories", long("stats")]],
  },
  "kept-sums-largest-first-recorded": {
    broken: "of equal largest donations of a long history the one recorded first is answered",
    edit: inReports(
      "queries/sums.ts",
      "order by largest desc, largest_sequence desc limit 1",
      "order by largest desc, largest_sequence limit 1",
    ),
    killedBy: [["reports/histories", long("stats")]],
  },
  "kept-sums-latest-by-arrival": {
    broken: "the latest donation of a long history is the one recorded last",
    edit: inReports("queries/sums.ts", "order by last_at desc, last_sequence desc limit 1", "order by last_sequence desc limit 1"),
    killedBy: [["reports/histories", long("stats")]],
  },
  "kept-sums-median-upper": {
    broken: "the median of an even number of donations of a long history is the upper of the two in the middle",
    edit: inReports(
      "queries/median.ts",
      "(min(amount) filter (where upto >= ceil(total / 2)))::text as lower",
      "(min(amount) filter (where upto >= floor(total / 2) + 1))::text as lower",
    ),
    killedBy: [["reports/histories", long("stats")]],
  },
  "kept-sums-ranks-dense": {
    broken: "no rank of a long history is skipped after equal ranks",
    edit: inReports("queries/top-donators.ts", "rank() over (order by sum(", "dense_rank() over (order by sum("),
    killedBy: [["reports/histories", long("top donators")]],
  },
  "kept-sums-ties-by-key": {
    broken: "equal donators of a long history stand in the order of their keys, whoever donated last",
    edit: inReports("queries/top-donators.ts", "order by b.rank, b.last_at desc, d.donator_key", "order by b.rank, d.donator_key"),
    killedBy: [["reports/histories", long("top donators")]],
  },
  "kept-sums-name-by-arrival": {
    broken: "a top donator of a long history has the name of the donation recorded last",
    edit: inReports(
      "queries/top-donators.ts",
      "order by donator, part.last_at desc, last_sequence desc",
      "order by donator, last_sequence desc",
    ),
    killedBy: [["reports/histories", long("top donators")]],
  },
  "kept-sums-tests-counted": {
    broken: "the kept sums count donations of every source",
    edit: inReports("queries/query-parts.ts", "run.first and run.last and source = any(@sources::text[])", "run.first and run.last"),
    killedBy: [
      ["reports/histories", long("stats")],
      ["reports/histories", long("the breakdown by channel")],
    ],
  },
  "kept-sums-of-one-source": {
    broken: "donators of a long history count only when they have donated in all ways that are asked for",
    edit: inReports("queries/unique-donators.ts", "sources & @bits::smallint <> 0", "sources = @bits::smallint"),
    killedBy: [["reports/histories", long("stats")]],
  },
  "kept-sums-weeks-from-sunday": {
    broken: "the kept numbers of donators of a week are those from Sunday to Saturday",
    edit: inReports("roll-ups/fold.sql", "(day + 3) / 7 - ((day + 3) % 7 < 0)::int", "(day + 4) / 7 - ((day + 4) % 7 < 0)::int"),
    killedBy: [["reports/histories", long("trends")]],
  },
  "kept-sums-months-of-utc": {
    broken: "the kept sums of a month are those of UTC",
    edit: inReports("roll-ups/fold.sql", "at time zone interval '07:00'", "at time zone interval '00:00'"),
    killedBy: [["reports/histories", long("stats")]],
  },
  "kept-sums-keep-first-after-void": {
    broken: "the first donation of a top donator of a long history stays the first after it was voided",
    edit: inReports("removal/removal-sql.ts", "amount = f.amount, first_at = f.first_at, last_at", "amount = f.amount, last_at"),
    killedBy: [["reports/histories", voidedLater("top donators")]],
  },
  "kept-sums-keep-last-after-void": {
    broken: "the last donation of a top donator of a long history stays the last after it was voided",
    edit: inReports("removal/removal-sql.ts", "first_at = f.first_at, last_at = f.last_at,\n", "first_at = f.first_at,\n"),
    killedBy: [["reports/histories", voidedLater("top donators")]],
  },
  "kept-sums-first-of-parts": {
    broken: "the first donation of a top donator is that of the last of the periods that the range is composed of",
    edit: inReports("queries/top-donators.ts", "min(first_at) as first_at", "max(first_at) as first_at"),
    killedBy: [["reports/histories", long("top donators")]],
  },
};

const ofShort: Mutants = {
  "short-span-shifted": {
    broken: "a report of a short history excludes its first instant and includes that of its end",
    edit: inReports("queries/short-history.ts", "as CountedDonation).at < ms) low", "as CountedDonation).at <= ms) low"),
    killedBy: [["reports/histories", short("stats")]],
  },
  "short-of-first-source": {
    broken: "a report of a short history counts the first of the sources only",
    edit: inReports("handlers.ts", "sources.includes(source)", "source === sources[0]"),
    killedBy: [["reports/histories", short("the breakdown by channel")]],
  },
  "short-donators-by-key": {
    broken: "equal donators of a short history stand in the order of their keys from last to first",
    edit: inReports(
      "queries/short-history.ts",
      "Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))",
      "Buffer.compare(Buffer.from(b.key), Buffer.from(a.key))",
    ),
    killedBy: [["reports/list-top-donators", /stand in the order of their keys/]],
  },
};

const ofLists: Mutants = {
  "long-range-lists-void": {
    broken: "a list by amount of a range of thousands of donations contains the void ones",
    edit: inAmountPage('const isActive = filters.status === "active";', "const isActive = false;"),
    killedBy: [["reports/histories", /sorted by amount of a range of thousands/]],
  },
  "long-range-rises-only": {
    broken: "a list by amount of a range of thousands of donations rises only",
    edit: inAmountPage(
      "const walk = scanCondition({ streamerId, order, filters, after });",
      'order = { column: "amount", descending: false };\n  const walk = scanCondition({ streamerId, order, filters, after });',
    ),
    killedBy: [["reports/histories", /sorted by -amount of a range of thousands/]],
  },
};

export const histories: Mutants = { ...ofLong, ...ofShort, ...ofLists };
