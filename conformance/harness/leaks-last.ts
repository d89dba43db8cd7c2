import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files in the order of their names, but for what looks at the traces that all others left. */
export class LeaksLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLast = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith("/leaks.test.ts");
    const sorted = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)];
  }
}
