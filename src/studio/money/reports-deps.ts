// What the studio needs of the reports.

import type { Schemas } from "../../http/operations.ts";

/** Values of an operation's parameters, of any kind: the contract checks them. */
export type Query = Readonly<Record<string, unknown>>;

/** What came in, by the contract's operations. Throws validation_failed. */
export type Reports = Readonly<{
  stats: (streamerId: string, query: Query) => Promise<Schemas["DonationStats"]>;
  amountTrends: (streamerId: string, query: Query) => Promise<Schemas["AmountTrends"]>;
  topDonators: (streamerId: string, query: Query) => Promise<Schemas["TopDonators"]>;
  channels: (streamerId: string, query: Query) => Promise<Schemas["ChannelBreakdown"]>;
}>;
