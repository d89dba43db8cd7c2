// Every pool of a serving process: together they say how many connections one takes at most.

import type { PoolOptions } from "./pool.ts";

export const pools = {
  /** Readers, and whatever has no pool of its own. */
  general: { max: 10, applicationName: "donations", maxWaiting: 200 },
  /** Records donations: a held lock must not hold a batch for long. */
  writer: { max: 4, applicationName: "donations writer", lockTimeoutMs: 250 },
  /** Revocations must be seen, and keys found, however busy readers keep the general pool. */
  credentials: { max: 3, applicationName: "donations credentials" },
  /** Moves of alert queues: short transactions, each of which locks one streamer's. */
  overlay: { max: 4, applicationName: "donations overlay", lockTimeoutMs: 5_000 },
  /** Exports at a time, and their connections. A reader that stands still for ten minutes loses its transaction, and so its export. */
  exports: { max: 2, applicationName: "donations export", idleInTransactionTimeoutMs: 600_000 },
  speech: { max: 2, applicationName: "donations speech" },
  /** Workers that keep roll-ups and search. */
  reports: { max: 1, applicationName: "donations reports" },
  search: { max: 1, applicationName: "donations search" },
} satisfies Record<string, PoolOptions>;

/** The notifier has a connection of its own. */
export const connectionsPerProcess = Object.values(pools).reduce((sum, { max }) => sum + max, 1);
