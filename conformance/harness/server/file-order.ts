import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, most of it waiting, the longest first: where several servers share the files, one that begins late would
 * run on alone.
 */
const first = ["overlay-two-processes", "guides", "workers", "interface/created-at-leap-years", "stream-overlay", "revoke-token"];

/** It looks at the traces that all others left. */
const last = ["leaks"];

/** Files in the order of their names, but for these. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const named = (family: string): boolean => moduleId.endsWith(`/${family}.test.ts`);
  if (last.some(named)) return first.length + 1;
  const place = first.findIndex(named);
  return place < 0 ? first.length : place;
}
