// What no schema says about members of a donation.

import { freshIdentifier, freshKey } from "../../values/donations.ts";

/** What the contract's schemas cannot say about a member of createDonation's body. */
export type Special = {
  /** The reason why this line stands here. */
  why: string;
  /** Two valid values that differ, where the schema gives none or others are needed. */
  values?: () => [unknown, unknown];
  /** The schema allows one value alone: there is no other to compare it with. */
  single?: true;
  /** A value that means "not set". */
  none?: unknown;
  /** The member of the record that stands for an absent one, in place of null. */
  absent?: string;
  /** Another value of it means another donation, not a conflict. */
  identifies?: true;
};

/**
 * Members whose rules need more than their schema. A new member needs a line only where the suite asks for one: a text with bounds, a
 * truth value, a number, a date-time or an enum of several values is tried without.
 */
export const specials: Record<string, Special> = {
  currency: { single: true, why: "THB is the only currency (interface 2.1)" },
  identifier: {
    values: () => [freshIdentifier(), freshIdentifier()],
    none: "",
    why: "the rules find their donations by it; '' counts as none",
  },
  idempotencyKey: { values: () => [freshKey(), freshKey()], identifies: true, why: "another key is another donation" },
  createdAt: { absent: "receivedAt", why: "a donation without a time happened when it was received" },
};
