// What two streamers ask each operation that may read donations, to see that neither learns of the other.

import { type Query, queryText } from "../../client/api.ts";
import { type Operation, operations } from "../../contract/contract.ts";
import { readableResources } from "../../contract/resources.ts";

const filters: Query[] = [
  {},
  { from: "2024-03-01", to: "2024-06-30" },
  { from: "2024-03-01T10:00Z" },
  { source: ["external", "native", "test"] },
  { source: "native" },
  { timezone: "Europe/London" },
];
export const listFilters: Query[] = [
  ...filters,
  { identifier: "both-1" },
  { minAmount: 11, maxAmount: 12 },
  { channel: ["external", "card"] },
];
export const sorts = ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"];
const trend = { interval: "month", from: "2024-01-01", to: "2024-12-31" };

/** Requests of each reading operation. */
export const pathsOf: Record<string, string[]> = {
  listDonations: listFilters.flatMap((query) => sorts.map((sort) => `/donations${queryText({ limit: 100, sort, ...query })}`)),
  searchDonations: listFilters.flatMap((query) =>
    ["canary", "c", "hello", "both-"].map((q) => `/donations/search${queryText({ limit: 100, q, ...query })}`),
  ),
  getDonationStats: filters.map((query) => `/donations/stats${queryText(query)}`),
  listTopDonators: filters.flatMap((query) =>
    ["amount", "count"].map((by) => `/donations/top-donators${queryText({ limit: 100, by, ...query })}`),
  ),
  getChannelBreakdown: filters.map((query) => `/donations/breakdown${queryText(query)}`),
  getAmountTrends: filters.map((query) => `/donations/trends/amount${queryText({ ...trend, ...query, to: "2024-12-31" })}`),
  getCountTrends: filters.map((query) => `/donations/trends/count${queryText({ ...trend, ...query, to: "2024-12-31" })}`),
};
const withOwnRules = ["getDonation", "exportDonations"]; // two-streamers.test.ts has rules of their own for these
const ofResources = readableResources.map(({ read }) => read.id); // so has conformance/derived/resources.test.ts

/** Operations of whose answers nothing comes from donations, or whose donations other rules look at; each with the reason. */
const readsNoDonations: Record<string, string> = {
  getAlertQueue: "holds alerts; these donations have none",
  getAlertSettings: "holds settings",
  getTimer: "these streamers have started none",
  listAlertFiles: "holds files that the streamer uploaded",
  listWebhooks: "holds endpoints of the application",
  listWebhookDeliveries: "holds attempts and answers of receivers",
};

/** Operations that may read donations and that two streamers do not ask, and those that are asked and read none. */
export function streamerFaults(all: readonly Pick<Operation, "id" | "method" | "scopes">[] = operations): string[] {
  const file = "conformance/suite/models/derive/streamer-paths.ts";
  const reading = all.filter(({ method, scopes }) => method === "GET" && scopes && scopes.length > 0).map(({ id }) => id);
  const listed = [...Object.keys(pathsOf), ...withOwnRules, ...ofResources, ...Object.keys(readsNoDonations)];
  return [
    ...reading
      .filter((id) => !listed.includes(id))
      .map(
        (id) =>
          `${id} may read donations: add its paths to pathsOf in ${file}, for two streamers to ask, or to readsNoDonations with the reason`,
      ),
    ...listed.filter((id) => !reading.includes(id)).map((id) => `${id} reads nothing with a scope: take it out of ${file}`),
  ];
}
