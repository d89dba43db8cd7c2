// The types of a case for receivers of webhooks.

import type { Delivery, Secrets } from "./delivery.ts";

/** What a receiver must do with each delivery of a case. */
export type Expected = "accepted" | "refused";

/** Deliveries that are sent one after the other. */
export type Case = Readonly<{
  /** Understood alone in a report; no two are the same. */
  title: string;
  expected: Expected;
  /** Made anew each time, because a delivery is stale after some minutes. */
  deliveries: (secrets: Secrets) => Delivery[];
  /** What an answer does not show, in words for the receiver's author. */
  advice?: string;
}>;
