// Number and sum of the donations that the history's filters find: exact, at a cost that does not grow with the history.

import type { Schemas } from "../../http/operations.ts";
import type { Query, Reports } from "../money/reports-deps.ts";
import type { HistoryFilters } from "./history-page.ts";

/** `total` is in baht. */
type Sum = Readonly<{ count: number; total: number }>;

/** The donations that count, and the void ones, which count nowhere; null when the filters leave them out. */
export type FoundSum = Sum & Readonly<{ voided: Sum | null }>;

type Found = Schemas["DonationPage"];

/**
 * Roll-ups know days, sources and channels, so these are summed up however many donations there are. Other filters would have to read every
 * donation: then the sum is known only where all donations stand on the page, and null otherwise. `query`: what lists the donations, with the
 * days of its time zone. `cursor`: where the page begins.
 */
export async function sumFound(reports: Reports, streamerId: string, page: SumRequest): Promise<FoundSum | null> {
  const { typed, query, cursor, found } = page;
  if (isRolledUp(typed)) return { ...rolledUp(await reports.channels(streamerId, toReportQuery(query)), typed.channel), voided: null };
  if (cursor !== null || found.pagination.nextCursor !== null) return null;
  const voided = found.data.filter((donation) => donation.voided !== null);
  const counted = found.data.filter((donation) => donation.voided === null);
  return { ...sumOf(counted), voided: typed.status === "" ? null : sumOf(voided) };
}

export type SumRequest = Readonly<{ typed: HistoryFilters; query: Query; cursor: string | null; found: Found }>;

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

/** Of at most one page. Amounts are shown to the satang, and a sum of so few is right beyond that. */
function sumOf(donations: Found["data"]): Sum {
  return { count: donations.length, total: donations.reduce((sum, { amount }) => sum + amount, 0) };
}
