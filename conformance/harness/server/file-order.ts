import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files, the slowest first: several servers share the files, and a slow one that starts late would run on alone. */
const slowest = [
  "overlay-two-processes",
  "guides",
  "workers",
  "interface/created-at-leap-years",
  "stream-roles",
  "stream-overlay",
  "revoke-token",
];

/** Run last: it searches the traces that all other files leave. */
const last = ["leaks"];

/** Sorts files by name, except the slowest and the last ones. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const named = (family: string): boolean => moduleId.endsWith(`/${family}.test.ts`);
  if (last.some(named)) return slowest.length + 1;
  const place = slowest.findIndex(named);
  return place < 0 ? slowest.length : place;
}
