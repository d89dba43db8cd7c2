// Number and sum of the donations that the history's filters find, at a bounded cost for each page however long the history is.

import type { Sum, SumStep } from "../../donations/list/sum-found.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Query } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { HistoryFilters } from "./history-page.ts";

/** `query`: what lists the donations, with the days of its time zone. `from`: `next` of the sum that is continued; null for none. */
type SumRequest = Readonly<{ typed: HistoryFilters; query: Query; from: string | null }>;

/** Roll-ups know days, sources and channels, so these are summed up at once. For other filters a number of donations is read in each step. */
export async function sumFound(
  { client, donations }: StudioDeps,
  streamerId: string,
  { typed, query, from }: SumRequest,
): Promise<SumStep> {
  if (!isRolledUp(typed)) return donations.sum(streamerId, query, from);
  const { body } = await client.callWithinLimit(streamerId, "getChannelBreakdown", { query: toReportQuery(query) });
  return { ...rolledUp(body.data, typed.channel), voided: null, next: null };
}

function isRolledUp({ q, minAmount, maxAmount, status, identifier }: HistoryFilters): boolean {
  return [q, minAmount, maxAmount, identifier].every((text) => text === "") && (status === "" || status === "active");
}

const reportParameters = ["timezone", "from", "to", "source"];

function toReportQuery(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => reportParameters.includes(name)));
}

function rolledUp({ total, count, channels }: Schemas["ChannelBreakdown"], channel: string): Sum {
  if (channel === "") return { total, count };
  const share = channels.find((one) => one.channel === channel);
  return { total: share?.total ?? 0, count: share?.count ?? 0 };
}
