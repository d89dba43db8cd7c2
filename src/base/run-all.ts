// Runs steps one after the other, of which each has to be tried whatever became of those before it.

/** Rejects at the end: with the failure, or with an AggregateError of several. */
export async function runAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${steps.length} steps failed`);
  if (failures.length === 1) throw failures[0];
}
