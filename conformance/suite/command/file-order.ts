// The order in which rule files are run: those that failed last, then the slowest first, because several servers share the files, and a
// slow one that starts late would run on alone.

import { measuredTimeOf } from "./measured.ts";

/** Names the environment variable with the families that are run first, with commas between them. */
export const firstVariable = "NAMJAI_CONFORMANCE_FIRST";

/** Run last: it searches the traces that all other files leave. */
const last = ["leaks"];

const firstFamilies = (): string[] => (process.env[firstVariable] ?? "").split(",").filter(Boolean);

/** Runs these families first, after those that are first already. */
export function runFirst(families: readonly string[]): void {
  process.env[firstVariable] = [...firstFamilies(), ...families].join(",");
}

/** Sorts paths of rule files, absolute or relative to `conformance/`. */
export function inOrder(files: readonly string[]): string[] {
  const first = firstFamilies();
  return files.toSorted((a, b) => placeOf(a, first) - placeOf(b, first) || timeOf(b) - timeOf(a) || (a < b ? -1 : 1));
}

function placeOf(file: string, first: readonly string[]): number {
  const named = (family: string): boolean => file.endsWith(`/${family}.test.ts`);
  if (last.some(named)) return 1;
  return first.some(named) ? first.findIndex(named) - first.length : 0;
}

/** A family is named by its folder and file. */
const timeOf = (file: string): number => measuredTimeOf(/[^/]+\/[^/]+(?=\.test\.ts$)/.exec(file)?.[0] ?? "");
