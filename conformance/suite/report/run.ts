// The types of a run and its rules, from which all reports are made.

import type { Failure } from "../client/failure.ts";
import { plural } from "./format.ts";

/** A rule and its result. These members are written to events.ndjson. */
export type Rule = {
  /** Folder and name of its file: `donations/created-at`, `interface/created-at`. */
  family: string;
  title: string;
  /** Whether the rule sends no request, so that its result says nothing about the server. */
  offline: boolean;
  state: "passed" | "failed" | "not run";
  /** Why the rule was not run. */
  why: string | null;
  /** False for a rule that was not run because the depth leaves it out, or because the server does not offer what it is about. */
  required: boolean;
  milliseconds: number;
  /** Number of values tried, by field; "" counts values that belong to no single field. */
  tried: Record<string, number>;
  /** Of how many values each of its samples was chosen. */
  chosenFrom: number[];
  /** Number of values that were not tried because the run was a sample. */
  leftOut: number;
  /** Number of these for which there was no time: the time of the run was over, or the server limits the rate of requests. */
  leftOutForTime: number;
  /** How often each edge case was tried. */
  edges: Record<string, number>;
  requests: number;
  /** Ids of the operations that it called. */
  operations: string[];
  digest: string;
  failure: (Failure & { message: string }) | null;
  /** Of a failure that the baseline names: no reason for the run to fail. */
  known?: { reason: string; expires: string };
};

export type Verdict = "passed" | "failed" | "not measurable";

/** A whole run: the input of every report. */
export type Run = {
  verdict: Verdict;
  /** Why the server could not be measured, and a request that shows it. */
  reason: { text: string; curl: string | null } | null;
  server: { url: string; ours: boolean };
  /** Name of what is tested, in tables of results. */
  implementation: string;
  /** Name of the mutant that is tested; null: none. */
  mutant: string | null;
  /** Versions of the contract and of the suite. */
  versions: { contract: string; suite: string };
  profile: string;
  depth: string;
  lengthUnit: string;
  only: string | null;
  /** The commit since which operations had to differ for their rules to be run (`--changed-since`); null: all rules. */
  changedSince: string | null;
  /** Which part of the rule files was run, counted from 1 (`--shard`); null: all of them. */
  shard: { index: number; count: number } | null;
  seed: number;
  /** Further options of the command line that a replay must repeat, each with its value as a word of a shell command; null: it has none. */
  options: [name: string, word: string | null][];
  startedAt: Date;
  milliseconds: number;
  /** Results of calibration, rate limits and warnings, in words. */
  notes: string[];
  rules: Rule[];
  /** Rule files that were not run. */
  leftOut: { family: string; reason: string }[];
  /** Errors outside of any rule. */
  errors: string[];
};

export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);
export const valuesOf = ({ tried }: Pick<Rule, "tried">): number => sum(Object.values(tried));

/** `passed`: rules that the server passed. `notAsked`: rules that passed and ask nothing of the server. `known`: failures that the baseline names. */
export type Counts = {
  rules: number;
  passed: number;
  notAsked: number;
  failed: number;
  known: number;
  notRun: number;
  tried: number;
  leftOut: number;
  requests: number;
};

/** Whether the rule failed and the baseline does not name the failure. */
export const isUnknownFailure = ({ state, known }: Pick<Rule, "state" | "known">): boolean => state === "failed" && !known;

export const countsOf = (rules: readonly Rule[]): Counts => ({
  rules: rules.length,
  passed: rules.filter(({ state, offline }) => state === "passed" && !offline).length,
  notAsked: rules.filter(({ state, offline }) => state === "passed" && offline).length,
  failed: rules.filter(isUnknownFailure).length,
  known: rules.filter(({ state, known }) => state === "failed" && known).length,
  notRun: rules.filter(({ state }) => state === "not run").length,
  tried: sum(rules.map(valuesOf)),
  leftOut: sum(rules.map(({ leftOut }) => leftOut)),
  requests: sum(rules.map(({ requests }) => requests)),
});

/** Groups rules by family, in the order of the run. */
export const families = (rules: readonly Rule[]): Map<string, Rule[]> => Map.groupBy(rules, ({ family }) => family);

/** Groups the rules that were not run by their reason. */
export const reasonsOf = (rules: readonly Rule[]): Map<string, Rule[]> =>
  Map.groupBy(
    rules.filter(({ state }) => state === "not run"),
    ({ why }) => why ?? "",
  );

/** The rules that were run, but not with all values of this run, for want of time; `values`: how many were left out. */
export function cutShort(rules: readonly Rule[]): { rules: Rule[]; values: number } {
  const cut = rules.filter(({ state, leftOutForTime }) => state !== "not run" && leftOutForTime > 0);
  return { rules: cut, values: sum(cut.map(({ leftOutForTime }) => leftOutForTime)) };
}

/** In words; null: none was cut short. */
export function cutShortText(rules: readonly Rule[]): string | null {
  const { rules: cut, values } = cutShort(rules);
  return cut.length === 0
    ? null
    : `${plural(values, "value")} of ${plural(cut.length, "rule")} ${values === 1 ? "was" : "were"} left out for want of time`;
}

export type Edge = { family: string; edge: string; hits: number };

/** Returns the edge cases of all rules; hits of the same edge case in one family are added up. */
export function edgesOf(rules: readonly Rule[]): Edge[] {
  const edges = new Map<string, Edge>();
  for (const { family, edges: hit } of rules)
    for (const [edge, hits] of Object.entries(hit)) {
      const id = `${family} ${edge}`;
      edges.set(id, { family, edge, hits: hits + (edges.get(id)?.hits ?? 0) });
    }
  return [...edges.values()];
}
