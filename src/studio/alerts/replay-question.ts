// Which alerts are replayed only after a question: those that a decision or a filter has kept off the stream, where a replay would show them.

import type { Donation } from "../components/donation.ts";

const askedReasons = ["denied", "timed_out", "filtered"] as const;
export type AskedReason = (typeof askedReasons)[number];

/** Why the donation's alert was kept off the stream; null for an alert that a replay needs no question for. */
export function whyKeptOff({ alert: { status, reason } }: Pick<Donation, "alert">): AskedReason | null {
  return status === "skipped" ? (askedReasons.find((asked) => asked === reason) ?? null) : null;
}
