// Reads the figures of widgets: sums by local days, the sum of a goal, the donators with the highest sums.

import type { Knex } from "knex";
import { toNumber } from "../db/decimal.ts";
import type { Schemas } from "../http/operations.ts";
import { countedSources, maxItemsOf } from "../http/published.ts";
import { resolveRange } from "../http/range.ts";
import type { Span } from "./periods.ts";
import { periodsAt } from "./ranges.ts";
import type { Sum } from "./short-history.ts";
import { readReport } from "./snapshot.ts";
import { sums } from "./sums.ts";
import { topDonators } from "./top-donators.ts";

export type WidgetFigures = Pick<Schemas["Widgets"], "totals" | "top"> & {
  /** The sum since the first day of the goal; null without a goal. */
  sinceGoal: number | null;
  /** When the local day ends, in milliseconds since 1970. */
  validUntil: number;
};

const timezone = "Asia/Bangkok";
const maxDonators = maxItemsOf("Widgets", "top");

/** Reads the figures from one snapshot. `goalFrom`: the first local day of the goal. */
export async function widgetFigures(reportReads: Knex, streamerId: string, goalFrom: string | null, now: number): Promise<WidgetFigures> {
  const { today, thisMonth, allTime } = periodsAt(now, timezone);
  const goal = goalFrom === null ? [] : [resolveRange({ from: goalFrom, timezone })];
  const spans: Span[] = [today.span, thisMonth.span, allTime.span, ...goal];
  const subject = { streamerId, sources: countedSources, donations: null };
  const found = await readReport(reportReads, subject, {
    sums: sums(spans, "overlapping"),
    top: topDonators(allTime.span, { by: "amount", limit: maxDonators }),
  });
  const [ofToday, ofMonth, ofAll, ofGoal] = found.sums.map(total);
  return {
    totals: { today: ofToday as Total, month: ofMonth as Total, all: ofAll as Total },
    top: found.top.map(({ rank, name, ...sum }) => ({ rank, donatorName: name, ...total(sum) })),
    sinceGoal: ofGoal?.amount ?? null,
    validUntil: today.span.to as number,
  };
}

/** Sums up what was donated since the first local day of a goal. */
export async function sumSince(reportReads: Knex, streamerId: string, from: string): Promise<number> {
  const subject = { streamerId, sources: countedSources, donations: null };
  const found = await readReport(reportReads, subject, { sums: sums([resolveRange({ from, timezone })], "overlapping") });
  return toNumber((found.sums[0] as Sum).total);
}

type Total = Schemas["WidgetTotal"];

function total({ total, count }: Sum): Total {
  return { amount: toNumber(total), count };
}
