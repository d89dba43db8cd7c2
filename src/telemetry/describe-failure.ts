// A failure as the log may tell it.

/** What PostgreSQL's driver tells of a failure. */
export type DatabaseError = Error & {
  code?: string;
  table?: string;
  column?: string;
  constraint?: string;
  routine?: string;
  errors?: unknown[];
};

/** What a log may say about a failure. */
export type FailureDescription = {
  name: string;
  code?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
  constraint?: string | undefined;
  /** The place in PostgreSQL that refused, where the message itself is withheld. */
  routine?: string | undefined;
  message?: string | undefined;
};

// Node's own codes of five characters (EPIPE) have no digit.
export const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
// Data exceptions (22) quote the value that was refused, raised exceptions (P0) whatever their author put in.
const QUOTING_STATE = /^(22|P0)/;

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

export function asDatabaseError(error: unknown): DatabaseError {
  return error instanceof Error ? error : new Error("something that is no Error was thrown");
}

// Knex writes "<statement> - <message>".
function withoutStatement(message: string): string {
  return message.split(" - ").at(-1)!;
}
