// Finds the donations that a report names: the largest and the latest.

import type { ExactReads } from "../db/exact-reads.ts";
import type { StoredDonation } from "../donations/donation.ts";
import type { DonationStore } from "../donations/store.ts";
import { Problem } from "../http/problem.ts";

type Finder = { donations: Pick<DonationStore, "find"> };

/**
 * Reads the primary, which has the latest state of alerts. A report read from a synchronous standby may name a donation that the primary does
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
