// The requests that are compared before and after an upgrade: every reading operation of the contract.

/** The credentials in data.sql. */
export const keys = {
  api: "namjai_v1_acxWJWtFiyN2CD17q2bgXDwtVH9xEECWLXR1gumx2EpxTr",
  overlay: "namjai_o1_e4dDTOeXxkgl1Umgg5eYff1lJwkCjxusbbyaRDmk4NuL3H",
} as const;

const donations = "/api/v1/donations";
const id = (end: string): string => `01700000-0000-7000-8000-${end.padStart(12, "0")}`;
const year = "from=2020-01-01&to=2020-12-31";

export const requestsByOperation: Readonly<Record<string, readonly string[]>> = {
  getMe: ["/api/v1/me"],
  getDonation: [...["1", "3", "b", "d", "1d", "d001", "d002", "d003", "d004"].map((end) => `${donations}/${id(end)}`)],
  listDonations: [
    ...["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"].map((sort) => `${donations}?limit=4&sort=${sort}`),
    `${donations}?limit=4&source=test&identifier=id-0`,
    `${donations}?limit=4&channel=promptpay&minAmount=100&maxAmount=900`,
  ],
  searchDonations: [...["ที่ 29", "id-3", "%_", "DONATOR 5"].map((q) => `${donations}/search?limit=3&q=${encodeURIComponent(q)}`)],
  getDonationStats: [`${donations}/stats?${year}`, `${donations}/stats?source=test&source=native`],
  listTopDonators: [`${donations}/top-donators?limit=4`, `${donations}/top-donators?by=count&limit=4&${year}`],
  getChannelBreakdown: [`${donations}/breakdown?${year}`],
  getAmountTrends: [`${donations}/trends/amount?interval=month&cumulative=true&${year}`],
  getCountTrends: [`${donations}/trends/count?interval=month&timezone=America%2FNew_York&${year}`],
  exportDonations: [`${donations}/export?from=2020-01-01&to=2020-01-03`],
  listStreamingCategories: ["/api/v1/streaming-categories?q=pubg"],
  getAlertQueue: ["/api/v1/alerts"],
  getAlertSettings: ["/api/v1/alerts/settings"],
  listEvents: ["/api/v1/events?limit=5&types=donation.created"],
  getSpeech: [`/api/v1/overlay/speech/${"ab".repeat(32)}`],
};

/** Operations without a request, each with the reason. */
export const operationsWithoutRequest: Readonly<Record<string, string>> = {
  streamOverlay: "a stream of events; its snapshot consists of donations, settings and the queue, which other requests read",
  streamEvents: "a stream of what listEvents lists",
  listAlertFiles: "data.sql has no files",
  getTimer: "data.sql has no timers",
  listWebhooks: "data.sql has no webhooks",
  getWebhook: "data.sql has no webhooks",
  listWebhookDeliveries: "data.sql has no webhooks",
  authorize: "a page",
  getSigningKeys: "each database has random keys of its own",
  getServerMetadata: "describes the server, not its data",
  getResourceMetadata: "describes the server, not its data",
};
