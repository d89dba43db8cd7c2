// What is known of each rule file before a run, from the last full run that was measured (measure.ts), and the order that follows from it.

import type { Depth } from "../values/run-settings.ts";
import table from "./measured.json" with { type: "json" };

/** Requests of all rules of a file: in each depth, and where every rule tries its fewest values. */
export type MeasuredRequests = Record<Depth | "fewest", number>;

export type Measured = {
  milliseconds: number;
  requests: MeasuredRequests;
  /** Ids of the operations that its rules call. */
  operations: string[];
};

const known: Record<string, Measured> = table;

/** Returns what was measured of a rule file; null: it is newer than the table. */
export const measuredOf = (family: string): Measured | null => known[family] ?? null;

/** Milliseconds; a rule file that is newer than the table counts as the median one. */
export const measuredTimeOf = (family: string): number => known[family]?.milliseconds ?? median(({ milliseconds }) => milliseconds);

/** A rule file that is newer than the table counts as the median one. */
export const measuredRequestsOf = (family: string): MeasuredRequests =>
  known[family]?.requests ?? {
    fewest: median(({ requests }) => requests.fewest),
    quick: median(({ requests }) => requests.quick),
    standard: median(({ requests }) => requests.standard),
    full: median(({ requests }) => requests.full),
  };

/** Ids of all operations that some rule has called. */
export const calledOperations: ReadonlySet<string> = new Set(Object.values(known).flatMap(({ operations }) => operations));

function median(figure: (one: Measured) => number): number {
  const sorted = Object.values(known)
    .map(figure)
    .toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}

// The order in which rule files are run: those that failed last, then the slowest first, because several servers share the files, and a
// slow one that starts late would run on alone.

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
