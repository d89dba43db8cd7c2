// Reports, roll-ups and widgets: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const reports: Mutants = {
  "largest-first-recorded": {
    broken: "the largest of several equal donations is the one recorded first",
    edit: { file: "src/reports/queries/short-history.ts", from: "order by amount, sequence`", to: "order by amount, sequence desc`" },
    killedBy: [["reports/get-donation-stats", /among equals the one recorded last/]],
  },
  "kept-sums-edges-added": {
    broken: "donations at the edges of a range are added to the kept sums where they had to be subtracted",
    edit: {
      file: "src/reports/queries/sums.ts",
      from: "select partial.span, partial.sign, d.amount * partial.sign from",
      to: "select partial.span, partial.sign, d.amount from",
    },
    killedBy: [["reports/histories", /stats of a long history whose sums were made anew/]],
  },
  "kept-sums-median-upper": {
    broken: "the median of an even number of donations of a long history is the upper of the two in the middle",
    edit: {
      file: "src/reports/queries/sums.ts",
      from: "(min(amount) filter (where upto >= ceil(total / 2)))::text as lower",
      to: "(min(amount) filter (where upto >= floor(total / 2) + 1))::text as lower",
    },
    killedBy: [["reports/histories", /stats of a long history whose sums were made anew/]],
  },
  "kept-sums-of-one-source": {
    broken: "donators of a long history count only when they have donated in all ways that are asked for",
    edit: {
      file: "src/reports/queries/unique-donators.ts",
      from: "whole.period and sources & @bits::smallint <> 0",
      to: "whole.period and sources = @bits::smallint",
    },
    killedBy: [["reports/histories", /stats of a long history whose sums were made anew/]],
  },
  "kept-sums-weeks-from-sunday": {
    broken: "the kept numbers of donators of a week are those from Sunday to Saturday",
    edit: {
      file: "src/reports/roll-ups/fold-statements.ts",
      from: "(day + 3) / 7 - ((day + 3) % 7 < 0)::int",
      to: "(day + 4) / 7 - ((day + 4) % 7 < 0)::int",
    },
    killedBy: [["reports/histories", /trends of a long history whose sums were made anew/]],
  },
  "kept-sums-months-of-utc": {
    broken: "the kept sums of a month are those of UTC",
    edit: { file: "src/reports/roll-ups/fold-statements.ts", from: "at time zone interval '07:00'", to: "at time zone interval '00:00'" },
    killedBy: [["reports/histories", /stats of a long history whose sums were made anew/]],
  },
  "kept-sums-keep-first-after-void": {
    broken: "the first donation of a top donator of a long history stays the first after it was voided",
    edit: {
      file: "src/reports/roll-ups/removal.ts",
      from: "amount = f.amount, first_at = f.first_at, last_at",
      to: "amount = f.amount, last_at",
    },
    killedBy: [["reports/histories", /top donators of a long history of which some donations were voided later/]],
  },
  "kept-sums-keep-last-after-void": {
    broken: "the last donation of a top donator of a long history stays the last after it was voided",
    edit: {
      file: "src/reports/roll-ups/removal.ts",
      from: `first_at = f.first_at, last_at = f.last_at,
`,
      to: `first_at = f.first_at,
`,
    },
    killedBy: [["reports/histories", /top donators of a long history of which some donations were voided later/]],
  },
  "kept-sums-first-of-parts": {
    broken: "the first donation of a top donator is that of the last of the periods that the range is composed of",
    edit: { file: "src/reports/queries/top-donators.ts", from: "min(first_at) as first_at", to: "max(first_at) as first_at" },
    killedBy: [["reports/histories", /top donators of a long history whose sums were made anew/]],
  },
  formula: {
    broken: "a text that begins like a formula is exported as a formula",
    edit: {
      file: "src/reports/../donations/export/workbook-xml.ts",
      from: 'if (one.kind === "text") return inline(',
      to: `if (one.kind === "text" && one.value.startsWith("=")) return \`<c r="\${place}"><f>\${escapeText(one.value.slice(1))}</f></c>\`;
  if (one.kind === "text") return inline(`,
    },
    killedBy: [["donations/export-donations", /as that very text/]],
  },
  "widgets-in-utc": {
    broken: "the day of the widgets is that of UTC",
    edit: { file: "src/reports/widgets.ts", from: "periodsAt(now, defaultTimezone)", to: 'periodsAt(now, "UTC")' },
    killedBy: [
      ["overlay/stream-widgets", /present day begins at midnight of Bangkok/],
      ["overlay/stream-widgets", /present month begins at midnight of Bangkok/],
    ],
  },
  "widgets-count-tests": {
    broken: "tests count in the widgets",
    edit: {
      file: "src/reports/widgets.ts",
      from: "return { streamerId, sources: countedSources, donations: null };",
      to: 'return { streamerId, sources: [...countedSources, "test"] as never, donations: null };',
    },
    killedBy: [["alerts/send-test-alert", /no widget shows it/]],
  },
  "void-stays-in-reports": {
    broken: "reports of a short history count void donations",
    edit: {
      file: "src/reports/queries/short-history.ts",
      from: "where streamer_id = $1 and voided_at is null order",
      to: "where streamer_id = $1 order",
    },
    killedBy: [["donations/void-donations-left-out", /leaves today, this week, month and year/]],
  },
  "void-stays-in-roll-ups": {
    broken: "a donation that is voided stays in the roll-ups",
    edit: { file: "src/reports/roll-ups/removal.ts", from: "if (folded.length === 0) return;", to: "if (folded.length >= 0) return;" },
    killedBy: [["alerts/alert-states", /voided some seconds later out/]],
  },
  "erasure-merges-donators": {
    broken: "all donators who were erased count as one",
    edit: { file: "src/reports/roll-ups/donator-numbers.ts", from: "c.new || '.' || r.donator as new", to: "'e:' as new" },
    killedBy: [["donations/erase-donator", /not the number of donators/]],
  },
  "hours-across-a-change": {
    broken: "an hour goes on although the clocks change within it, and the hour after the change is left out",
    edit: {
      file: "src/reports/calendar.ts",
      from: `from = Math.min(endOfHour(from, offset), until))
        yield { from, to: Math.min(endOfHour(from, offset), until),`,
      to: `from = endOfHour(from, offset))
        yield { from, to: endOfHour(from, offset),`,
    },
    killedBy: [["reports/get-amount-trends", /America\/St_Johns change at 2010-03-14/]],
  },
  "goals-share-a-sum": {
    broken: "every goal has the sum of the first one",
    edit: { file: "src/reports/widgets.ts", from: "(ofGoals[i] as Total).amount", to: "(ofGoals[0] as Total).amount" },
    killedBy: [["overlay/stream-widgets", /each of several goals counts the donations of its own days/]],
  },
  "name-first-used": {
    broken: "a top donator has the name that was used first",
    edit: { file: "src/reports/queries/short-history.ts", from: "name: latest.name,", to: "name: first.name," },
    killedBy: [["reports/list-top-donators", /name of the latest donation/]],
  },
};
