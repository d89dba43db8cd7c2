import type { Failure } from "../harness/client/failure.ts";

/** A rule and what became of it. */
export type Rule = {
  /** Its file: `created-at`, `interface/created-at`. */
  family: string;
  title: string;
  state: "passed" | "failed" | "not run";
  /** Why it was not run. */
  why: string | null;
  milliseconds: number;
  /** Values tried, by field; "" for none in particular. */
  tried: Record<string, number>;
  leftOut: number;
  edges: Record<string, number>;
  requests: number;
  digest: string;
  failure: (Failure & { message: string }) | null;
};

export type Verdict = "passed" | "failed" | "not measurable";

/** A whole run, as every report reads it. */
export type Run = {
  verdict: Verdict;
  /** Why it was not measurable, and the request that shows it. */
  reason: { text: string; curl: string | null } | null;
  server: { url: string; ours: boolean };
  profile: string;
  depth: string;
  only: string | null;
  seed: number;
  startedAt: Date;
  milliseconds: number;
  /** What calibration saw, and of limits and warnings, in words. */
  notes: string[];
  rules: Rule[];
  /** Rule files that were left out. */
  leftOut: { family: string; reason: string }[];
  /** What went wrong outside of any rule. */
  errors: string[];
};

export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);
export const valuesOf = ({ tried }: Pick<Rule, "tried">): number => sum(Object.values(tried));

export type Counts = { rules: number; passed: number; failed: number; notRun: number; tried: number; leftOut: number; requests: number };

export const countsOf = (rules: readonly Rule[]): Counts => ({
  rules: rules.length,
  passed: rules.filter(({ state }) => state === "passed").length,
  failed: rules.filter(({ state }) => state === "failed").length,
  notRun: rules.filter(({ state }) => state === "not run").length,
  tried: sum(rules.map(valuesOf)),
  leftOut: sum(rules.map(({ leftOut }) => leftOut)),
  requests: sum(rules.map(({ requests }) => requests)),
});

/** The rules by their families, in the order of the run. */
export const families = (rules: readonly Rule[]): Map<string, Rule[]> => Map.groupBy(rules, ({ family }) => family);

/** Why rules were not run, each reason with its rules. */
export const reasonsOf = (rules: readonly Rule[]): Map<string, Rule[]> =>
  Map.groupBy(
    rules.filter(({ state }) => state === "not run"),
    ({ why }) => why ?? "",
  );

export type Edge = { family: string; edge: string; hits: number };

/** Edges of all rules, those of a family added up. */
export function edgesOf(rules: readonly Rule[]): Edge[] {
  const edges = new Map<string, Edge>();
  for (const { family, edges: hit } of rules)
    for (const [edge, hits] of Object.entries(hit)) {
      const id = `${family} ${edge}`;
      edges.set(id, { family, edge, hits: hits + (edges.get(id)?.hits ?? 0) });
    }
  return [...edges.values()];
}
