// Pages of all donations of one donator, the latest first, void ones among them, for the studio.

import type { ExactReads } from "../../db/exact-reads.ts";
import { countedSources } from "../../http/contract/published.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import { type DonationRecord, type StoredDonation, toRecord } from "../donation.ts";
import type { DonationStore } from "../store.ts";
import type { Filters, Position } from "./page-request.ts";

type DonatorPage = Readonly<{ donations: readonly Required<DonationRecord>[]; next: string | null }>;

/** `from`: `next` of the page before; null for the first one. */
export type DonationsOfDonator = (streamerId: string, donatorKey: string, from: string | null) => Promise<DonatorPage>;

const perPage = 20;
/** Each read examines a bounded number of donations: after so many the page ends, however few it has. */
const maxReads = 10;

const all: Omit<Filters, "donatorKey"> = {
  ...{ range: { from: null, to: null }, channels: null, sources: countedSources, identifier: null },
  ...{ minAmount: null, maxAmount: null, status: "all" },
};

/** Throws invalid_cursor. */
export function donationsOfDonator(read: ExactReads<{ donations: DonationStore }>, cursors: CursorCodec): DonationsOfDonator {
  return async (streamerId, donatorKey, from) => {
    const subject = `donator ${streamerId} ${donatorKey}`;
    const found: StoredDonation[] = [];
    let after = from === null ? null : (cursors.open(subject, from) as Position);
    let hasMore = true;
    for (let reads = 0; hasMore && found.length < perPage && reads < maxReads; reads += 1) {
      const request = { sort: "-createdAt", filters: { ...all, donatorKey }, q: null, after, limit: perPage - found.length } as const;
      const page = await read(streamerId, ({ donations }) => donations.page(streamerId, request));
      found.push(...page.donations);
      after = page.last;
      ({ hasMore } = page);
    }
    // Idempotency keys belong to applications, and the studio is none.
    return { donations: found.map((donation) => toRecord(donation, "")), next: hasMore && after ? cursors.seal(subject, after) : null };
  };
}
