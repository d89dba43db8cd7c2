// The members of a donation that are shown on stream. The donator's identifier is not among them.

import type { Schemas } from "../../http/operations.ts";

export type DonationContent = Readonly<
  Pick<Schemas["Playback"], "donationId" | "donatorName" | "amount" | "currency" | "message" | "source">
>;

export type DonationRow = {
  donation_id: string;
  donator_name: string;
  amount: string;
  currency: DonationContent["currency"];
  message: string;
  source: DonationContent["source"];
};

/** Select list over `donations d`. */
export const donationColumns = "d.id as donation_id, d.donator_name, d.amount, d.currency, d.message, d.source";

export function fromDonationRow(row: DonationRow): DonationContent {
  return {
    donationId: row.donation_id,
    donatorName: row.donator_name,
    amount: Number(row.amount),
    currency: row.currency,
    message: row.message,
    source: row.source,
  };
}
