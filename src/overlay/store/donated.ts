// What of a donation is shown on stream. Never its identifier.

import type { Schemas } from "../../http/operations.ts";

export type Donated = Readonly<Pick<Schemas["Playback"], "donationId" | "donatorName" | "amount" | "currency" | "message" | "source">>;

export type DonatedRow = {
  donation_id: string;
  donator_name: string;
  amount: string;
  currency: Donated["currency"];
  message: string;
  source: Donated["source"];
};

/** Select list over `donations d`. */
export const donated = "d.id as donation_id, d.donator_name, d.amount, d.currency, d.message, d.source";

export function fromDonated(row: DonatedRow): Donated {
  return {
    donationId: row.donation_id,
    donatorName: row.donator_name,
    amount: Number(row.amount),
    currency: row.currency,
    message: row.message,
    source: row.source,
  };
}
