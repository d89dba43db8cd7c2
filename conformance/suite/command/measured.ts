// What is known of each rule file before a run, from the last full run that was measured (measure.ts).

import type { Depth } from "../values/sample.ts";
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
