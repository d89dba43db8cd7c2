// What the studio needs of the alert queue and its settings.

import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import type { Donation, DonationStep } from "../donations/donations-deps.ts";

export type Queue = Schemas["AlertQueue"];
export type QueuedPlayback = Schemas["QueuedPlayback"];
export type Settings = Schemas["AlertSettings"];

export const controls = ["pause", "resume", "skip", "clear", "hide", "unhide"] as const;
export type Control = (typeof controls)[number];

/** About one alert: the first three about a held one, the others about one that waits. */
export const decisions = ["approve", "mask", "deny", "skip", "next"] as const;
export type Decision = (typeof decisions)[number];

// In the order of the contract.
export const blockedWordActions = enumOf("BlockedWordAction");
export const approvals = enumOf("Approval");
export const approvalTimeouts = enumOf("ApprovalTimeout");

/** The streamer's alerts. Throws the contract's Problems: validation_failed, alert_state_conflict, alert_not_found. */
export type Alerts = Readonly<{
  queue: (streamerId: string) => Promise<Queue>;
  control: (streamerId: string, control: Control) => Promise<void>;
  replay: (streamerId: string, donationId: string) => Promise<void>;
  /** Decides about an alert. */
  decide: (streamerId: string, donationId: string, decision: Decision) => Promise<void>;
  /** The contract checks the members, so they may have any value. */
  sendTest: (streamerId: string, alert: Readonly<Record<string, unknown>>) => Promise<void>;
  settings: (streamerId: string) => Promise<Settings>;
  /** Changes nothing. Throws validation_failed with the faults that the form found and those of the contract, if there are any. */
  check: (settings: Readonly<Record<string, unknown>>, found: readonly Fault[]) => Promise<void>;
  change: (streamerId: string, settings: Readonly<Record<string, unknown>>) => Promise<void>;
  /** The five donations with the latest `createdAt`, including test donations and void ones, latest first. */
  latest: (streamerId: string) => Promise<readonly Donation[]>;
  /** The notes that were written beside void donations, by donation id; a donation without one is missing. */
  voidNotes: (streamerId: string, donationIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Those of these donations whose alerts are held until somebody, or a time-out, decides. */
  held: (streamerId: string, donationIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** What happened to a donation since it was recorded, oldest first. */
  story: (streamerId: string, donationId: string) => Promise<readonly DonationStep[]>;
  /** Throws donation_not_found. */
  donation: (streamerId: string, donationId: string) => Promise<Donation>;
  /** Takes a donation back. The contract checks the members. Throws donation_not_found and already_voided as well. */
  void: (streamerId: string, donationId: string, request: Readonly<Record<string, unknown>>) => Promise<void>;
}>;
