// Donations for tests: the one place that says what a donation is when a test does not care.

import { type DonationRecord, justStored, type NewDonation, newDonation, toRecord } from "./donation.ts";
import { donatorKey } from "./donator-key.ts";

/** An external donation of 1 baht by "a", of an application of the streamer's own, but for the given members. */
export function someDonation(streamerId: string, members: Partial<NewDonation> = {}): NewDonation {
  const least = { donatorName: "a", amount: 1, currency: "THB", message: "", skipAlert: false } as const;
  const usual = newDonation(least, { streamerId, applicationId: streamerId }, { source: "external", channel: "external" });
  const donation = { ...usual, ...members };
  return { ...donation, donatorKey: members.donatorKey ?? donatorKey(donation.donatorName, donation.identifier) };
}

/** The record of such a donation, as the application that recorded it reads it. */
export function someRecord(members: Partial<DonationRecord> = {}): DonationRecord {
  const donation = someDonation("00000000-0000-7000-8000-000000000000");
  return { ...toRecord(justStored(donation, Date.UTC(2026, 10, 21), 1), donation.applicationId), ...members };
}
