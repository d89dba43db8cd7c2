interface DatabaseError extends Error {
  code?: string;
  table?: string;
  column?: string;
  constraint?: string;
  routine?: string;
  errors?: unknown[];
}

/** What a log may say about a failure. */
export interface FailureDescription {
  name: string;
  code?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  constraint?: string | undefined;
  /** The place in PostgreSQL that refused, where the message itself is withheld. */
  routine?: string | undefined;
  message?: string | undefined;
}

// Node's own codes of five characters (EPIPE) have no digit.
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
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
// Data exceptions (22) quote the value that was refused, raised exceptions (P0) whatever their author put in.
const QUOTING_STATE = /^(22|P0)/;

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

/**
 * A failure in a form that may be logged: never the values of a statement, which are donors' names and words.
 * (`detail` and `where` quote rows; Knex adds the statement to the message.)
 */
export function describeFailure(error: unknown): FailureDescription {
  const { name, code, table, column, constraint, routine, message } = asDatabaseError(error);
  if (code === undefined || !SQLSTATE.test(code)) return { name, code, message: withoutStatement(message) };
  const spoken = QUOTING_STATE.test(code) ? { routine } : { message: withoutStatement(message) };
  return { name, code, table, column, constraint, ...spoken };
}

function asDatabaseError(error: unknown): DatabaseError {
  return error instanceof Error ? error : new Error("something that is no Error was thrown");
}

// Knex writes "<statement> - <message>".
function withoutStatement(message: string): string {
  return message.split(" - ").at(-1)!;
}
