// Reads the figures of widgets: sums by local days, the sums of goals, the donators with the highest sums, the largest donations.

import type { Knex } from "knex";
import { toNumber } from "../db/decimal.ts";
import { resolveRange } from "../http/contract/parameters.ts";
import { countedSources, defaultTimezone, maxItemsOf } from "../http/contract/published.ts";
import type { Schemas } from "../http/operations.ts";
import type { Donator, Sum } from "./queries/short-history.ts";
import { readReport } from "./queries/snapshot.ts";
import { extremes, sums } from "./queries/sums.ts";
import { topDonators } from "./queries/top-donators.ts";
import { periodsAt } from "./ranges.ts";
import type { Span } from "./roll-ups/periods.ts";

/** The first and the last local day whose donations count towards a goal; without the last one they count for ever. */
type GoalDays = Pick<Schemas["Goal"], "from" | "to">;

/** The sum of a goal and whether its last day is over. */
export type GoalFigures = Readonly<{ current: number; ended: boolean }>;

export type WidgetFigures = Pick<Schemas["Widgets"], "totals" | "top" | "topOf"> & {
  /** Of each goal, in their order. */
  goals: readonly GoalFigures[];
  /** Of each period the id of the largest donation, null where there is none. */
  largest: Record<keyof Schemas["WidgetLargest"], Readonly<{ id: string | null; span: Span }>>;
  /** When the local day ends, in milliseconds since 1970. */
  validUntil: number;
};

const maxDonators = maxItemsOf("Widgets", "top");

/** Reads the figures from one snapshot. */
export async function widgetFigures(
  reportReads: Knex,
  streamerId: string,
  goals: readonly GoalDays[],
  now: number,
): Promise<WidgetFigures> {
  const { today, thisWeek, thisMonth, allTime } = periodsAt(now, defaultTimezone);
  const [day, week, month, all] = [today.span, thisWeek.span, thisMonth.span, allTime.span];
  const spans = goals.map(goalSpan);
  const found = await readReport(reportReads, subjectOf(streamerId), {
    sums: sums([day, month, all, ...spans], "overlapping"),
    ...{ topOfDay: topOf(day), topOfWeek: topOf(week), topOfMonth: topOf(month), top: topOf(all) },
    ...{ largestOfDay: extremes(day), largestOfWeek: extremes(week), largestOfMonth: extremes(month), largest: extremes(all) },
  });
  const [ofDay, ofMonth, ofAll, ...ofGoals] = found.sums.map(total);
  return {
    totals: { today: ofDay as Total, month: ofMonth as Total, all: ofAll as Total },
    top: found.top.map(toWidgetDonator),
    topOf: {
      day: found.topOfDay.map(toWidgetDonator),
      week: found.topOfWeek.map(toWidgetDonator),
      month: found.topOfMonth.map(toWidgetDonator),
    },
    largest: {
      day: { id: found.largestOfDay?.largestId ?? null, span: day },
      week: { id: found.largestOfWeek?.largestId ?? null, span: week },
      month: { id: found.largestOfMonth?.largestId ?? null, span: month },
      all: { id: found.largest?.largestId ?? null, span: all },
    },
    goals: spans.map(({ to }, i) => ({ current: (ofGoals[i] as Total).amount, ended: to !== null && to <= now })),
    validUntil: day.to as number,
  };
}

/** Sums up what was donated on the days of each goal. */
export async function sumsOfGoals(reportReads: Knex, streamerId: string, goals: readonly GoalDays[]): Promise<number[]> {
  const found = await readReport(reportReads, subjectOf(streamerId), { sums: sums(goals.map(goalSpan), "overlapping") });
  return found.sums.map((sum) => toNumber(sum.total));
}

function subjectOf(streamerId: string) {
  return { streamerId, sources: countedSources, donations: null };
}

function goalSpan({ from, to }: GoalDays): Span {
  return resolveRange({ from, to, timezone: defaultTimezone });
}

function topOf(span: Span) {
  return topDonators(span, { by: "amount", limit: maxDonators, named: true });
}

function toWidgetDonator({ rank, name, ...sum }: Donator): Schemas["WidgetDonator"] {
  return { rank, donatorName: name, ...total(sum) };
}

type Total = Schemas["WidgetTotal"];

function total({ total, count }: Sum): Total {
  return { amount: toNumber(total), count };
}
