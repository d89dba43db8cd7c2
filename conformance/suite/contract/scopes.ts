// Which scope each operation needs, written from interface 5.3 and from what the API promises, a second time and apart from spec/.
// Where the contract or the server says something else, they are wrong.

import type { Operation } from "./contract.ts";

/** Scopes of an API key or access token. */
export const scopes = [
  "write:donations",
  "void:donations",
  "erase:donators",
  "read:donations",
  "write:alerts",
  "read:alerts",
  "moderate:alerts",
  "write:webhooks",
] as const;

export type Scope = (typeof scopes)[number];

/** One scope; any Bearer credential with scopes, whatever they are; an overlay key; or no Bearer credential at all. */
export type Need = Scope | "any" | "overlay key" | "none";

export const needs: Record<string, Need> = {
  createDonation: "write:donations",
  importDonations: "write:donations", // it records what a request for each would record, and nothing else

  // Who records donations need not be trusted to take them back, and who takes them back need not record any.
  voidDonation: "void:donations",

  // What is erased can never be brought back: whoever may record, void or read may not erase.
  eraseDonator: "erase:donators",

  // Reading the history: nobody who may only write or control alerts sees who donated.
  listDonations: "read:donations",
  getDonation: "read:donations",
  searchDonations: "read:donations",
  exportDonations: "read:donations",
  getDonationStats: "read:donations",
  listTopDonators: "read:donations",
  getChannelBreakdown: "read:donations",
  getAmountTrends: "read:donations",
  getCountTrends: "read:donations",

  // Controls change what a stream shows; seeing the queue and the settings changes nothing.
  getAlertQueue: "read:alerts",
  getAlertSettings: "read:alerts",
  listAlertFiles: "read:alerts",
  uploadAlertFile: "write:alerts",
  deleteAlertFile: "write:alerts",
  updateAlertSettings: "write:alerts",
  pauseAlerts: "write:alerts",
  resumeAlerts: "write:alerts",
  skipAlert: "write:alerts",
  skipOneAlert: "write:alerts",
  playAlertNext: "write:alerts",
  leadOverlay: "write:alerts",
  clearAlerts: "write:alerts",
  approveAlert: "write:alerts",
  maskAlert: "write:alerts",
  denyAlert: "write:alerts",
  hideAlerts: "write:alerts",
  unhideAlerts: "write:alerts",
  replayAlert: "write:alerts",
  sendTestAlert: "write:alerts",

  // As the alerts: whoever controls them runs the stream.
  getTimer: "read:alerts",
  startTimer: "write:alerts",
  updateTimerRules: "write:alerts",
  pauseTimer: "write:alerts",
  resumeTimer: "write:alerts",
  adjustTimer: "write:alerts",
  endTimer: "write:alerts",

  // Webhooks send what the reading scopes allow to an address of the application.
  createWebhook: "write:webhooks",
  listWebhooks: "write:webhooks",
  getWebhook: "write:webhooks",
  updateWebhook: "write:webhooks",
  deleteWebhook: "write:webhooks",
  rotateWebhookSecret: "write:webhooks",
  sendTestEvent: "write:webhooks",
  listWebhookDeliveries: "write:webhooks",
  redeliverWebhook: "write:webhooks",
  recoverWebhook: "write:webhooks",

  // What says nothing of a streamer's donations.
  getMe: "any",
  listStreamingCategories: "any",

  // Each type of event has a scope of its own: a credential gets those that its scopes allow.
  listEvents: "any",
  streamEvents: "any",
  createEventTicket: "any",

  // The pages in OBS.
  streamOverlay: "overlay key",
  startPlayback: "overlay key",
  endPlayback: "overlay key",
  getSpeech: "overlay key",

  // OAuth's clients name themselves in the body or by HTTP Basic, and documents about the server are for everybody.
  authorize: "none",
  issueToken: "none",
  revokeToken: "none",
  registerClient: "none",
  getServerMetadata: "none",
  getResourceMetadata: "none",
  getSigningKeys: "none",
};

const file = "conformance/suite/contract/scopes.ts";

/** Where the contract disagrees with the table, in words. */
export function scopeFaults(operations: readonly Pick<Operation, "id" | "scopes" | "overlayKey">[], table = needs): string[] {
  const gone = Object.keys(table).filter((id) => !operations.some((operation) => operation.id === id));
  return [
    ...operations.flatMap((operation) => {
      const [need, stated] = [table[operation.id], needOf(operation)];
      if (need === undefined) return [`${operation.id} is missing: write into ${file} which scope it needs, and why`];
      return need === stated
        ? []
        : [`${operation.id} needs ${need}, as ${file} says, and the contract asks for ${stated}: change the one that is wrong`];
    }),
    ...gone.map((id) => `${id} is no operation of the contract: take it out of ${file}`),
  ];
}

/** What the contract asks for, in the words of the table. */
function needOf({ scopes: asked, overlayKey }: Pick<Operation, "scopes" | "overlayKey">): string {
  if (overlayKey) return "overlay key";
  if (asked === null) return "none";
  return asked.length === 0 ? "any" : asked.join(" and ");
}
