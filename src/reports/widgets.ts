// Reads the figures of widgets: sums by local days, the sum of a goal, the donators with the highest sums, the largest donations.

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

export type WidgetFigures = Pick<Schemas["Widgets"], "totals" | "top" | "topOf"> & {
  /** The sum of the goal and whether its last day is over; null without a goal. */
  goal: Readonly<{ current: number; ended: boolean }> | null;
  /** Of each period the id of the largest donation, null where there is none. */
  largest: Record<keyof Schemas["WidgetLargest"], Readonly<{ id: string | null; span: Span }>>;
  /** When the local day ends, in milliseconds since 1970. */
  validUntil: number;
};

const maxDonators = maxItemsOf("Widgets", "top");

/** Reads the figures from one snapshot. */
export async function widgetFigures(reportReads: Knex, streamerId: string, goal: GoalDays | null, now: number): Promise<WidgetFigures> {
  const { today, thisWeek, thisMonth, allTime } = periodsAt(now, defaultTimezone);
  const [day, week, month, all] = [today.span, thisWeek.span, thisMonth.span, allTime.span];
  const span = goal && goalSpan(goal);
  const found = await readReport(reportReads, subjectOf(streamerId), {
    sums: sums([day, month, all, ...(span ? [span] : [])], "overlapping"),
    ...{ topOfDay: topOf(day), topOfWeek: topOf(week), topOfMonth: topOf(month), top: topOf(all) },
    ...{ largestOfDay: extremes(day), largestOfWeek: extremes(week), largestOfMonth: extremes(month), largest: extremes(all) },
  });
  const [ofDay, ofMonth, ofAll, ofGoal] = found.sums.map(total);
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
    goal: span && ofGoal ? { current: ofGoal.amount, ended: span.to !== null && span.to <= now } : null,
    validUntil: day.to as number,
  };
}

/** Sums up what was donated on the days of a goal. */
export async function sumOfGoal(reportReads: Knex, streamerId: string, goal: GoalDays): Promise<number> {
  const found = await readReport(reportReads, subjectOf(streamerId), { sums: sums([goalSpan(goal)], "overlapping") });
  return toNumber((found.sums[0] as Sum).total);
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
