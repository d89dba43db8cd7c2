// The error of an embedded PostgreSQL that cannot be used.

/** An Error for the operator: what is wrong, what to do, and that a server of their own can be used instead. */
export function cannotStart(what: string, remedy: string, cause?: unknown): Error {
  return new Error(
    `The embedded PostgreSQL cannot be used: ${what}. What to do: ${remedy}, or set DATABASE_URL to a PostgreSQL server (15 or later).`,
    { cause },
  );
}
