// One donation of a streamer.

import type { Donation } from "../components/donation.ts";
import type { StreamerClient } from "../streamer-client.ts";

/** Throws donation_not_found. */
export async function findDonation(client: StreamerClient, streamerId: string, donationId: string): Promise<Donation> {
  return (await client.call(streamerId, "getDonation", { path: { donationId } })).body.data;
}
