// Tells an unavailable database, and locks of other transactions, from a statement that the database refused.

import { asDatabaseError, SQLSTATE } from "../telemetry/describe-failure.ts";

// Connection lost (08), resources exhausted (53), shut down or starting (57P), an idle transaction ended by the server
// (25P03), a primary that has become read-only (25006).
const unavailableState = /^(08...|53...|57P0.|25P03|25006)$/;
const unavailableCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);
/** Each connection is refused until an operator changes a password or a certificate. While the server serves, that is an outage. */
const refusals = new Set(["28P01", "28000", "CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);
/** Messages of errors to which neither `pg` nor Knex gives a code. */
const unavailableMessage =
  /connection terminated|connection ended unexpectedly|connection error and is not queryable|client was closed and is not queryable|timeout expired|timeout exceeded when trying to connect|query read timeout|timeout acquiring a connection|unable to acquire a connection|^aborted$/i;

/** Whether a statement waited for a lock until its lock time-out was over (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return asDatabaseError(error).code === "55P03";
}

/** Whether another transaction had the locks that a statement needed: `isLockTimeout`, or a deadlock (deadlock_detected). */
export function isLockConflict(error: unknown): boolean {
  return isLockTimeout(error) || asDatabaseError(error).code === "40P01";
}

/** The exit code of a worker that cannot serve at present because its database is unavailable (EX_TEMPFAIL of sysexits.h). */
export const unavailableExitCode = 75;

/**
 * Whether the database could not be reached or the connection was lost, as opposed to a statement that the database refused.
 * The statement may have been executed or not.
 */
export function isUnavailable(error: unknown): boolean {
  const { code, message, errors } = asDatabaseError(error);
  if (needsOperator(error)) return true;
  if (code !== undefined) return SQLSTATE.test(code) ? unavailableState.test(code) : unavailableCodes.has(code);
  return errors?.length ? errors.every(isUnavailable) : unavailableMessage.test(message);
}

/** Whether no connection can come about until an operator does something: no reason to wait at the start. */
export function needsOperator(error: unknown): boolean {
  return refusals.has(asDatabaseError(error).code ?? "");
}

const lost = new WeakMap<object, Sent>();

type Sent = "statement" | "commit";

/** Notes that a statement, or a commit, had been sent when this error came. */
export function noteSent(error: unknown, sent: Sent): void {
  if (isUnavailable(error) && mayBeDone(error)) lost.set(error as object, sent);
}

/** Whether the connection was lost when a statement had been sent on it, so that it may have been executed or not. */
export function isOutcomeUnknown(error: unknown): boolean {
  return lost.has(error as object);
}

/** Whether a transaction may have been committed or not. */
export function isCommitUnknown(error: unknown): boolean {
  return lost.get(error as object) === "commit";
}

/** With another SQLSTATE the server has answered that nothing was done, and on a connection that was closed before nothing was sent. */
function mayBeDone(error: unknown): boolean {
  const { code, message } = asDatabaseError(error);
  return code !== undefined && SQLSTATE.test(code) ? /^(08|57P)/.test(code) : !/is not queryable/i.test(message);
}

// Notes that a disk is full: the database's, of which PostgreSQL says disk_full, or that of this machine (ENOSPC).

/** A disk counts as full for so long after it last refused something: whether there is room again shows only when something is written. */
const heldMs = 30_000;

type Disk = "database" | "server";

const diskOfCode: Readonly<Record<string, Disk>> = { 53100: "database", ENOSPC: "server" };
const refusedAt: Record<Disk, number> = { database: Number.NEGATIVE_INFINITY, server: Number.NEGATIVE_INFINITY };

/** Call it with any failure. `now`: by `performance.now()`. */
export function noteFullDisk(error: unknown, now = performance.now()): void {
  const disk = diskOfCode[asDatabaseError(error).code ?? ""];
  if (disk) refusedAt[disk] = now;
}

export function isDiskFull(disk: Disk, now = performance.now()): boolean {
  return now - refusedAt[disk] < heldMs;
}
