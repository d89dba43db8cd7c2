// All connection pools of a serving process, and how many connections they open at most.
//
// Work has a pool of its own for one of two reasons: its sessions need other settings or time-outs, or it must neither wait for other work nor
// delay it. A pool that nobody uses has no connection, so one more costs an idle process nothing.

import { type Layout, sizeOf } from "./citus/layout.ts";
import type { PoolOptions } from "./pool.ts";

// Every read of a report is a short scan of an index, and no wrong estimate may turn it into a scan of all streamers' rows. Planning one anew
// would take longer than running it. Sorting is left to the planner: forbidding it changed the time of no report by more than a tenth.
const forReports = {
  enable_seqscan: "off",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  plan_cache_mode: "force_generic_plan",
};

// A batch looks rows up by their keys. A plan that was made while a table was short would go on reading it whole when it has grown, until the
// database counts its rows again; and it would be made anew for every batch, because a batch of few calls is estimated to cost less than one
// of any number.
const forBatches = { enable_seqscan: "off", jit: "off", plan_cache_mode: "force_generic_plan" };

// The rows of a page are the next ones of an index. Of a streamer whose rows are not counted yet, all would be gathered and sorted.
const forPages = { ...forBatches, enable_sort: "off" };

export const pools = {
  /** Everything that has no other pool. */
  general: { max: 4, applicationName: "donations", maxWaiting: 200 },
  /** Reads in batches: few connections, each with many callers. */
  reads: { max: 2, applicationName: "donations reads", settings: forPages },
  /** Rotations of refresh tokens, of many callers in one commit. */
  rotations: { max: 1, applicationName: "donations rotations", settings: forBatches },
  /** Reports. */
  reportReads: { max: 2, applicationName: "donations report reads", maxWaiting: 200, settings: forReports },
  /** Searches, whose statements are too long to share a batch. */
  searches: { max: 3, applicationName: "donations searches", settings: forPages },
  /**
   * Pages. Visitors who are not logged in may request them without limit, and that must not delay reading operations of the API. How many are
   * under way is limited where they arrive (http/server/overload.ts): one that got in is not refused at its second query.
   */
  pages: { max: 2, applicationName: "donations pages" },
  /** The check of /readyz, which must answer however busy the other pools are. */
  probe: { max: 1, applicationName: "donations probe", connectTimeoutMs: 1_500, answerTimeoutMs: 1_500 },
  /** The writer of donations. A locked row must not delay a batch for long, and a caller is answered within 5 s. */
  writer: {
    max: 4,
    applicationName: "donations writer",
    lockTimeoutMs: 250,
    connectTimeoutMs: 2_000,
    answerTimeoutMs: 2_500,
  },
  /** Imports: one chunk at a time, and a lookup of what it did. A chunk waits for a lock no longer than a single donation. */
  imports: { max: 2, applicationName: "donations imports", lockTimeoutMs: 250, connectTimeoutMs: 2_000, answerTimeoutMs: 5_000 },
  /** Lookups of keys and revocations, which must work however busy the general pool is. */
  credentials: { max: 3, applicationName: "donations credentials", connectTimeoutMs: 2_000, answerTimeoutMs: 2_000 },
  /** Changes of alert queues: short transactions, each of which locks the queue of one streamer. */
  overlay: { max: 4, applicationName: "donations overlay", lockTimeoutMs: 5_000 },
  /** One connection for each export. The export of a client that reads nothing for ten minutes fails, because its transaction ends. */
  exports: { max: 2, applicationName: "donations export", idleInTransactionTimeoutMs: 600_000 },
  /** The tasks that keep the log of events and give webhooks to the processes. */
  events: { max: 2, applicationName: "donations events" },
  /** What webhooks read and write in batches, of many endpoints each. */
  deliveries: { max: 2, applicationName: "donations deliveries", settings: forBatches },
  /** Speech that is kept: long rows, which overlays load at once. They must not delay the general pool. */
  speech: { max: 2, applicationName: "donations speech" },
  /** The workers that update the roll-ups and the search index. */
  reports: { max: 1, applicationName: "donations reports" },
  /** Without a count of a streamer's donations, the database would gather and sort all of them to find the next ones of an ordered index. */
  search: { max: 1, applicationName: "donations search", settings: { enable_seqscan: "off", enable_bitmapscan: "off", jit: "off" } },
} satisfies Record<string, PoolOptions>;

/** The pools on a standby. One that hangs must not delay readers for long: they go on to the primary. */
export const standbyPools = {
  general: { ...pools.general, applicationName: "donations standby", connectTimeoutMs: 1_500, answerTimeoutMs: 10_000 },
  reads: { ...pools.reads, applicationName: "donations standby reads", connectTimeoutMs: 1_500, answerTimeoutMs: 2_000 },
  searches: { ...pools.searches, applicationName: "donations standby searches", connectTimeoutMs: 1_500, answerTimeoutMs: 10_000 },
  reportReads: { ...pools.reportReads, applicationName: "donations standby reports", connectTimeoutMs: 1_500, answerTimeoutMs: 10_000 },
  exports: { ...pools.exports, applicationName: "donations standby export", connectTimeoutMs: 1_500 },
} satisfies Record<string, PoolOptions>;

/** All pools, and one connection of the notifier. */
export function connectionsPerProcess(layout: Layout): number {
  return Object.values(pools).reduce((sum, pool) => sum + sizeOf(layout, pool), 1);
}
