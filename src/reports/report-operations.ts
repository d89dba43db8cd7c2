// The operations of reports, and the donations that reports name.

import type { AnswerCache } from "../db/cache/answer-cache.ts";
import type { ExactReads } from "../db/exact-reads.ts";
import { type StoredDonation, toRecord } from "../donations/donation.ts";
import type { Readers } from "../donations/open-readers.ts";
import type { DonationStore } from "../donations/store.ts";
import { Problem } from "../http/problem.ts";
import * as handlers from "./handlers.ts";

export function reportOperations(readers: Readers, cache: AnswerCache) {
  const reported = findReported(readers);
  const deps: handlers.ReportDeps = {
    read: readers.readReports,
    shortHistory: handlers.shortHistory,
    record: async ({ streamerId, applicationId }, id) => toRecord(await reported(streamerId, id), applicationId),
    cache,
    now: Date.now,
  };
  return {
    getDonationStats: handlers.getDonationStats(deps),
    listTopDonators: handlers.listTopDonators(deps),
    getChannelBreakdown: handlers.getChannelBreakdown(deps),
    getAmountTrends: handlers.getAmountTrends(deps),
    getCountTrends: handlers.getCountTrends(deps),
  };
}

type Finder = { donations: Pick<DonationStore, "find"> };

/**
 * Finds the donations that a report names: the largest and the latest. Reads the primary, which has the latest state of alerts. A report read from a synchronous standby may name a donation that the primary does
 * not show yet, because its commit waits for the standby's acknowledgement: the donation is read from the standby then. Throws unavailable
 * when neither database has it, because the standby has become unavailable.
 */
export function findReported({ primary, read }: { primary: Finder; read: ExactReads<Finder> }) {
  return async (streamerId: string, id: string): Promise<StoredDonation> => {
    const find = ({ donations }: Finder) => donations.find(streamerId, id);
    const found = (await find(primary)) ?? (await read(streamerId, find));
    if (!found) throw new Problem("unavailable", "A donation of this report is just being recorded; try again.");
    return found;
  };
}
