// Limits of the server itself, and the requests that are exempt from its time-out. Limits of values of the contract are in spec/.

import type { IncomingMessage } from "node:http";
import { getHeapStatistics } from "node:v8";

/** Maximum length of the query of an authorization request: half of the limit of the request line and headers together. */
export const maxAuthorizationQuery = 8_192;

/**
 * Operations that may be under way at once, and as many pages; more are refused. A busy process needs a tenth of a second for them. More
 * would only wait longer, and live long enough to be copied by every garbage collection.
 */
export const concurrencyLimits = { maxRequests: 500, minRequests: 200, maxPagesPerNetwork: 200 };

/** Requests of one connection that may be under way or wait for their answers to be read. Those behind them are not parsed meanwhile. */
export const maxUnanswered = 16;

const mebibyte = 1_048_576;

/** Bytes of answers that clients have not read, of all connections together. An eighth of the heap, because text waits there. */
export const maxUnsentBytes = Math.min(Math.max(getHeapStatistics().heap_size_limit / 8, 32 * mebibyte), 256 * mebibyte);

/** Connections of refused requests are read again after a second, or later when more are paused than may be read again in one second. */
export const pauseLimits = { perSecond: 1_000, maxSeconds: 5, maxConnections: 10_000 };

/** New connections that may wait to be accepted (the system may allow fewer). The client of one more tries again after 1, 3 and 7 seconds. */
export const backlog = 4_096;

/** Connections that a process keeps open at once, when it may open enough files. */
export const usualConnections = 10_000;

/** Descriptors that are reserved for the database, Redis, files, look-ups and the metrics server. */
const reservedDescriptors = 256;

/** Descriptors that a process has without connections to clients and database: of Node itself, standard streams, and a few files. */
const ownDescriptors = 40;

/** The fewest descriptors with which a process serves. */
export const leastDescriptors = 56;

/** Descriptors that this process may have open: files and connections of all kinds. */
export function maxDescriptors(): number {
  Object.assign(process.report, { excludeNetwork: true }); // otherwise the report looks up the names of all addresses
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const descriptors = Number(userLimits?.open_files?.soft); // "unlimited" is NaN
  return Number.isFinite(descriptors) ? descriptors : Number.POSITIVE_INFINITY;
}

/**
 * Connections that a process keeps open at once. Of few descriptors, clients get as many as the database may need for their requests: the
 * pools open a connection only for a request that waits for one.
 */
export function maxConnections(descriptors = maxDescriptors()): number {
  return Math.min(usualConnections, Math.max(descriptors - reservedDescriptors, Math.floor((descriptors - ownDescriptors) / 2)));
}

/** Bodies that have not arrived completely: of all senders, and of one. When there are more, the oldest is refused. */
export const unfinishedBodies = { inAll: 512, perSender: 64 };

/** The same for lists of donations, which may be much larger. */
export const unfinishedBatches = { inAll: 16, perSender: 4 };

/** Bodies with a file: milliseconds that they may take to arrive, and without a byte. The largest file arrives in time at 300 kbit/s. */
const slowBodies = { timeoutMs: 300_000, silenceMs: 10_000 };

/** Forms with a file of donations. */
export const unfinishedForms = { ...unfinishedBatches, ...slowBodies };

/** A form with an image or a sound: a little more than the file may have, so that a larger one is refused by name. */
export const maxMediaFormBytes = 11 * mebibyte;

/** The same for images and sounds, whose bytes are kept until they are stored. */
export const unfinishedMedia = {
  inAll: 16,
  perSender: 2,
  kept: { inAll: 8 * maxMediaFormBytes, perBody: maxMediaFormBytes },
  ...slowBodies,
};

/** Time-outs in milliseconds, those of node:http and our own. */
export const timeouts = {
  /** Until the header lines have arrived. */
  headers: 10_000,
  /** Until the whole request has arrived. */
  request: 30_000,
  /** Interval in which these two are checked. */
  check: 1_000,
  /** Interval in which the answers that clients have not read are added up. */
  unsent: 250,
  /** How long an idle connection is kept open. */
  keepAlive: 15_000,
  /** How long a connection is idle before a new one may take its place. One that has just been opened sends its request first. */
  replaceable: 1_000,
  /** How long a client may read nothing of what is sent to it. */
  stalled: 10_000,
  /**
   * How long a connection may go on sending after a refusal, or after an answer that came before the end of the body: many clients read the
   * answer only when they have sent all, and a large file takes its time. As long as header lines may take, so it gives nobody more.
   */
  refused: 10_000,
  /** How long a stopping server waits for a last request on an idle connection, which may be on its way. */
  linger: 500,
  /** How long a stopping server waits for requests under way. */
  drain: 8_000,
};

/** Requests that `timeouts.request` does not end, because their bodies have a time limit of their own: a line, or a file. */
const exempt = new WeakSet<IncomingMessage>();

/** From now on whoever reads the body of this request ends it, not `timeouts.request`. */
export function exemptFromRequestTimeout(request: IncomingMessage): void {
  exempt.add(request);
}

export function isExempt(request: IncomingMessage): boolean {
  return exempt.has(request);
}
