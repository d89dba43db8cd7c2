// The order of the rule files, for vitest.

import { BaseSequencer, type TestSpecification } from "vitest/node";

import { inOrder } from "./file-order.ts";

/** Makes vitest run the rule files in the suite's own order. */
export class FileSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPath = new Map(files.map((file) => [file.moduleId, file]));
    return inOrder([...byPath.keys()]).map((path) => byPath.get(path) as TestSpecification);
  }
}
