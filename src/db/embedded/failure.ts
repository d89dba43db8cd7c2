/** An Error for the operator: what is wrong and what to do, always with the way out of a server of one's own. */
export function cannotStart(what: string, remedy: string, cause?: unknown): Error {
  return new Error(
    `The embedded PostgreSQL cannot be used: ${what}. What to do: ${remedy}, or set DATABASE_URL to a PostgreSQL server (15 or later).`,
    { cause },
  );
}
