// An expectation for lists of faults.

/** Fails with these faults as they stand, a line each, where there are any. */
export function expectNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join("\n  "));
}
