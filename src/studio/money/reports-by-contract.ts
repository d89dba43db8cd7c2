// The studio's reports, by invoking the contract's operations.

import type { CallAsStreamer } from "../call-as-streamer.ts";
import type { Reports } from "./reports-deps.ts";

export function contractReports(as: CallAsStreamer): Reports {
  return {
    stats: async (streamerId, query) => (await as(streamerId, "getDonationStats", { query })).body.data,
    amountTrends: async (streamerId, query) => (await as(streamerId, "getAmountTrends", { query })).body.data,
    topDonators: async (streamerId, query) => (await as(streamerId, "listTopDonators", { query })).body.data,
    channels: async (streamerId, query) => (await as(streamerId, "getChannelBreakdown", { query })).body.data,
  };
}
