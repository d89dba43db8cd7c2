// Describes a failure for the log, without values of a statement.

/** An error of PostgreSQL's driver. */
type DatabaseError = Error & {
  code?: string;
  table?: string;
  column?: string;
  constraint?: string;
  routine?: string;
  errors?: unknown[];
};

/** The properties of a failure that may be logged. */
type FailureDescription = {
  name: string;
  code?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  constraint?: string | undefined;
  /** The function of PostgreSQL that refused, given when the message is left out. */
  routine?: string | undefined;
  message?: string | undefined;
};

/** Node's own codes of five characters (EPIPE) have no digit. */
export const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** Data exceptions (22) quote the refused value, and raised exceptions (P0) anything. */
const quotingState = /^(22|P0)/;

/**
 * Describes a failure without the values of a statement, such as donators' names and messages: `detail` and `where` quote rows, and Knex adds
 * the statement to the message.
 */
export function describeFailure(error: unknown): FailureDescription {
  const { name, code, table, column, constraint, routine, message } = asDatabaseError(error);
  if (code === undefined || !SQLSTATE.test(code)) return { name, code, message: withoutStatement(message) };
  const reason = quotingState.test(code) ? { routine } : { message: withoutStatement(message) };
  return { name, code, table, column, constraint, ...reason };
}

export function asDatabaseError(error: unknown): DatabaseError {
  return error instanceof Error ? error : new Error("a value that is no Error was thrown");
}

/** Knex writes "<statement> - <message>". */
function withoutStatement(message: string): string {
  return message.split(" - ").at(-1)!;
}
