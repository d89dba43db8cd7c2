// An error with both sides of a comparison.

/** What was expected and what came instead, as texts of one or more lines; reports show them side by side. */
export type Comparison = { expected: string; actual: string };

/** An error that carries both sides, as assertions of vitest do. */
export const mismatch = (message: string, { expected, actual }: Comparison): Error =>
  Object.assign(new Error(message), { expected, actual });
