// Whether the database is away, or has refused what it was told.

import { asDatabaseError, SQLSTATE } from "../telemetry/describe-failure.ts";

// Connection lost (08), resources exhausted (53), shut down or starting (57P), an idle transaction ended by the server
// (25P03), a primary that has become read-only (25006).
const UNAVAILABLE_STATE = /^(08...|53...|57P0.|25P03|25006)$/;
const UNAVAILABLE_CODES = new Set([
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
// Neither `pg` nor Knex gives these a code.
const UNAVAILABLE_MESSAGE =
  /connection terminated|connection ended unexpectedly|connection error and is not queryable|client was closed and is not queryable|timeout expired|timeout exceeded when trying to connect|query read timeout|timeout acquiring a connection|unable to acquire a connection|^aborted$/i;
/** The exit code of a worker that can't serve now, but perhaps later, because its database is away (EX_TEMPFAIL of sysexits.h). */
export const unavailableExitCode = 75;

/**
 * Whether the database could not be reached or was lost, rather than refused what it was told.
 * A statement may then have been executed or not.
 */
export function isUnavailable(error: unknown): boolean {
  const { code, message, errors } = asDatabaseError(error);
  if (code !== undefined) return SQLSTATE.test(code) ? UNAVAILABLE_STATE.test(code) : UNAVAILABLE_CODES.has(code);
  return errors?.length ? errors.every(isUnavailable) : UNAVAILABLE_MESSAGE.test(message);
}
