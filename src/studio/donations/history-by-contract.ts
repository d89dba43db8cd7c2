// The studio's history of donations, by invoking the contract's operations.

import type { CallAsStreamer, CheckCall } from "../call-as-streamer.ts";
import type { History } from "./donations-deps.ts";

export function contractHistory(as: CallAsStreamer, check: CheckCall): Omit<History, "sum"> {
  return {
    check: async (query, faults) => check("q" in query ? "searchDonations" : "listDonations", { query, faults }),
    list: async (streamerId, query) => (await as(streamerId, "listDonations", { query })).body,
    search: async (streamerId, query) => (await as(streamerId, "searchDonations", { query })).body,
    export: async (streamerId, query) => as(streamerId, "exportDonations", { query }),
  };
}
