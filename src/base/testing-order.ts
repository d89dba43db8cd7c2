// The order of test files, for vitest.

import { BaseSequencer, type TestSequencerConstructor, type TestSpecification } from "vitest/node";

/**
 * Makes vitest run these files first, named by their paths without `.test.ts`. On a fresh machine it knows nothing of a file but its size:
 * one that waits, or starts other programs, would begin among the last and run on alone.
 */
export function runningFirst(names: readonly string[]): TestSequencerConstructor {
  const isFirst = ({ moduleId }: TestSpecification): boolean => names.some((name) => moduleId.endsWith(`/${name}.test.ts`));
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
    }
  };
}
