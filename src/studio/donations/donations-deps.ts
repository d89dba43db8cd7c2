// What the studio needs of the streamer's donations: their history, and the values of their members.

import { enumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import type { FileReply } from "../../ui/serve-pages.ts";
import type { Query } from "../money/reports-deps.ts";

export type Donation = Schemas["Donation"];
export type VoidReason = Schemas["VoidReason"];

/** What happened to a donation or its alert. `at`: milliseconds since 1970. `reason`: why the alert was not shown. */
export type DonationStep = Readonly<{
  type: Schemas["EventType"];
  at: number;
  reason: Schemas["SkipReason"] | null;
  isReplay: boolean;
  /** Who decided about a held alert, or denied one; null for another step, and where it was not noted. */
  decidedBy: DecidedBy | null;
}>;

/** `nobody`: nobody did within these seconds, so that the time-out decided. `name`: of the API key or the application. */
export type DecidedBy =
  | Readonly<{ is: "nobody"; seconds: number }>
  | Readonly<{ is: "streamer" }>
  | Readonly<{ is: "key" | "application"; name: string }>;

// In the order of the contract.
export const voidReasons = enumOf("VoidReason");
export const channels = enumOf("Channel");
export const sources = enumOf("Source");

/** `total` is in baht. */
export type Sum = Readonly<{ count: number; total: number }>;

/**
 * The donations that count, and the void ones, which count nowhere; null when the filters leave them out. `next`: continues a sum that is one of
 * the latest donations only; null when it is complete.
 */
export type FoundSum = Sum & Readonly<{ voided: Sum | null; next: string | null }>;

/** The streamer's donations, by the contract's operations. Throws validation_failed, invalid_cursor. */
export type History = Readonly<{
  /** Throws validation_failed with the faults that the form found and those of the contract, if there are any. A query with `q` is a search. */
  check: (query: Query, found: readonly Fault[]) => Promise<void>;
  list: (streamerId: string, query: Query) => Promise<Schemas["DonationPage"]>;
  search: (streamerId: string, query: Query) => Promise<Schemas["DonationPage"]>;
  /** The sum of all donations that pass, step by step. Throws invalid_cursor and rate_limited as well. `from`: `next` of the step before, or null. */
  sum: (streamerId: string, query: Query, from: string | null) => Promise<FoundSum>;
  /** A workbook of all donations that pass. Throws rate_limited as well: one at a time. */
  export: (streamerId: string, query: Query) => Promise<FileReply>;
}>;
