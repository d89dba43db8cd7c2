// Every pool of a serving process: together they say how many connections one takes at most.

import type { PoolOptions } from "./pool.ts";

export const pools = {
  /** Readers, and whatever has no pool of its own. */
  general: { max: 9, applicationName: "donations", maxWaiting: 200 },
  /** Pages, which strangers may ask for without end: they must not keep readers of the API waiting. */
  pages: { max: 2, applicationName: "donations pages", maxWaiting: 50 },
  /** Whether the database answers: /readyz must say so, however busy everybody else is. */
  probe: { max: 1, applicationName: "donations probe", connectTimeoutMs: 1_500, answerTimeoutMs: 1_500 },
  /** Records donations: a held lock must not hold a batch for long, and within 5 s a caller hears what became of theirs. */
  writer: { max: 4, applicationName: "donations writer", lockTimeoutMs: 250, connectTimeoutMs: 2_000, answerTimeoutMs: 2_500 },
  /** Revocations must be seen, and keys found, however busy readers keep the general pool. */
  credentials: { max: 3, applicationName: "donations credentials", connectTimeoutMs: 2_000, answerTimeoutMs: 2_000 },
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
