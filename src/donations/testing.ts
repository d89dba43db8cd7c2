// Streamers and donations for tests, with defaults for every member that a test does not set.

import type { Knex } from "knex";
import { newId } from "../db/ids.ts";
import { type DonationRecord, donatorKey, external, justStored, type NewDonation, newDonation, toRecord } from "./donation.ts";
import { streamerStore } from "./streamers.ts";

/** Resolves to the id of a streamer with a handle that no other has. */
export async function newStreamer(knex: Knex): Promise<string> {
  return (await streamerStore(knex).create(`s${newId().replaceAll("-", "")}`)).id;
}

/** An external donation of 1 baht by "a", with the given members instead. Its application id is that of the streamer. */
export function someDonation(streamerId: string, members: Partial<NewDonation> = {}): NewDonation {
  const input = { donatorName: "a", amount: 1, currency: "THB", message: "", skipAlert: false } as const;
  const defaults = newDonation(input, { streamerId, applicationId: streamerId }, external);
  const donation = { ...defaults, ...members };
  return { ...donation, donatorKey: members.donatorKey ?? donatorKey(donation.donatorName, donation.identifier) };
}

/** The record of such a donation, as the application that recorded it reads it. */
export function someRecord(members: Partial<DonationRecord> = {}): DonationRecord {
  const donation = someDonation("00000000-0000-7000-8000-000000000000");
  return { ...toRecord(justStored(donation, Date.UTC(2026, 10, 21), 1), donation.applicationId), ...members };
}
