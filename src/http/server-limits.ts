// Limits of the server itself. Limits of the contract's values live in spec/.

/** Characters of an authorization request's query: half of what a request line and its header lines may have together. */
export const maxAuthorizationQuery = 8_192;

/**
 * Operations under way at once; more are refused. A tenth of a second's work of a busy process: with more, each only waits longer, and
 * lives long enough to be copied by every collection of garbage.
 */
export const underWay = { most: 500, least: 200 };

/** Connections that were refused are read again after a second, or later when more of them rest than may come back in one. */
export const rest = { perSecond: 1_000, mostSeconds: 5, most: 10_000 };

/** New connections that may wait to be taken (the system may allow fewer). One that finds no room asks again after 1, 3, 7 seconds. */
export const backlog = 4_096;

/** Descriptors that are left to the database, Redis, files and whoever looks at the metrics. */
const reservedDescriptors = 256;

/** Connections of a process that are open at once, as far as the system allows so many descriptors; more are closed as they come. */
export function mostConnections(): number {
  Object.assign(process.report, { excludeNetwork: true }); // it would look up the names of all addresses
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const descriptors = Number(userLimits?.open_files?.soft); // "unlimited" is NaN
  return Number.isFinite(descriptors) ? Math.max(Math.min(10_000, descriptors - reservedDescriptors), 100) : 10_000;
}

/** Bodies that have not arrived in full: of all senders, and of one. When there are more, the oldest makes room. */
export const unfinishedBodies = { inAll: 512, perSender: 64 };

/** Time-outs of node:http, and ours, in milliseconds. */
export const timeouts = {
  /** Header lines must have arrived. */
  headers: 10_000,
  /** The whole request must have arrived. */
  request: 30_000,
  /** How often the two above are looked at. */
  check: 1_000,
  /** An idle connection is kept. */
  keepAlive: 15_000,
  /** The other side may take nothing of what is sent to it. */
  stalled: 10_000,
  /** A connection that was refused, or answered before its request's body ended, may go on sending. */
  refused: 2_000,
  /** When the server stops, a connection without a request may bring its last one: it can be on its way. */
  linger: 500,
  /** Requests under way may finish when the server stops. */
  drain: 8_000,
};
