// The types of a run and its rules, from which all reports are made, with counts, digests and the matrix of families and fields.

import { createHash } from "node:crypto";
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

// Digests of what the rules have sent.

/** Folders whose rules send the same bytes for the same seed. Rules of other folders send secrets and times, which no seed determines. */
const reproducibleFolders = ["interface", "derived"];

export type Digest = { folder: string; digest: string; requests: number };

/** Returns a digest of the bytes that the rules of each folder sent; the order of rules and requests does not change it. */
export function digestsOf(rules: readonly Rule[]): Digest[] {
  return reproducibleFolders.flatMap((folder) => {
    const sent = rules.filter(({ family, requests }) => family.startsWith(`${folder}/`) && requests > 0);
    const lines = sent.map(({ family, title, requests, digest }) => `${family} > ${title}: ${requests} ${digest}`).sort();
    const digest = createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
    return sent.length > 0 ? [{ folder, digest, requests: sent.reduce((total, rule) => total + rule.requests, 0) }] : [];
  });
}

// A digest of a failure that is the same for every seed: of the rule and of the kind of failure, not of values, ids or texts.

/** Rule file and title. */
export const nameOf = ({ family, title }: Pick<Rule, "family" | "title">): string => `${family} > ${title}`;

/** 16 hexadecimal digits; the same rule that fails in the same way has the same digest. */
export const digestOfFailure = (rule: Pick<Rule, "family" | "title" | "failure">): string =>
  createHash("sha256")
    .update(`${nameOf(rule)}\n${kindOf(rule)}`)
    .digest("hex")
    .slice(0, 16);

export const undocumented = "was answered as the contract does not say";

/** How a rule failed, in words that no random value enters: the class of the last answer, unless another answer says more. */
export function kindOf({ failure }: Pick<Rule, "failure">): string {
  const statuses = (failure?.exchanges ?? []).map(({ status }) => status);
  const text = failure?.reason ?? failure?.message ?? "";
  if (statuses.some((status) => status !== null && status >= 500)) return "server error";
  if (text.includes(undocumented)) return "answer that the contract does not describe";
  if (text.includes("fails only while")) return "fails only under concurrency";
  if (text.includes("was not tried where it matters")) return "edge case never tried";
  const last = statuses.at(-1);
  if (last === undefined) return "no request";
  if (last === null) return "no answer";
  return last < 300 ? "wrong answer: accepted" : last < 400 ? "wrong answer: redirected" : "wrong answer: refused";
}

// The matrix of rule families and fields in the reports: how many values were tried, how many rules failed; known failures are counted apart.

/** Counts of one rule family and one field. */
export type Cell = { tried: number; passed: number; failed: number; known: number };

export type Row = { family: string; cells: Map<string, Cell> };

/**
 * Rule family × field. The column "" counts values of no single field and of fields for which the matrix has no column.
 * `others`: families whose values belong to no single field.
 */
type Matrix = { fields: string[]; rows: Row[]; others: Row[] };

/** The members of interface 2.1 are the first columns, in the order of the interface document. */
const interfaceFields = ["donatorName", "amount", "currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

/** Builds the matrix with at most `columns` fields; the fields with the fewest values are added up under "". */
export function matrixOf(rules: readonly Rule[], columns = Number.POSITIVE_INFINITY): Matrix {
  const ran = rules.filter(({ state }) => state !== "not run").map((rule) => ({ ...rule, tried: byColumn(rule.tried) }));
  const totals = new Map<string, number>();
  for (const { tried } of ran) for (const [field, count] of Object.entries(tried)) totals.set(field, (totals.get(field) ?? 0) + count);
  const others = [...totals].filter(([field]) => field !== "" && !interfaceFields.includes(field)).toSorted(([, a], [, b]) => b - a);
  const named = [...interfaceFields.filter((field) => totals.has(field)), ...others.map(([field]) => field)].slice(0, columns);
  const rows = [...families(ran)].map(([family, group]) => ({ family, cells: cellsOf(group, new Set(named)) }));
  const hasField = ({ cells }: Row): boolean => [...cells.keys()].some((field) => field !== "");
  return { fields: [...named, ""], rows: rows.filter(hasField), others: rows.filter((row) => !hasField(row)) };
}

/** Rules name a member `amount` or, as a JSON pointer, `/amount`, and the whole body in two ways: each has one column. */
function byColumn(tried: Rule["tried"]): Rule["tried"] {
  const columns: Rule["tried"] = {};
  for (const [field, count] of Object.entries(tried)) {
    const column = field === "the body" ? "body" : field.replace(/^\//, "");
    columns[column] = (columns[column] ?? 0) + count;
  }
  return columns;
}

function cellsOf(rules: readonly Rule[], named: ReadonlySet<string>): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  for (const rule of rules) {
    const { tried, known } = rule;
    const fields = new Set(Object.keys(tried).map((field) => (named.has(field) ? field : "")));
    for (const field of fields) {
      const cell = cells.get(field) ?? { tried: 0, passed: 0, failed: 0, known: 0 };
      cells.set(field, cell);
      cell.tried += Object.entries(tried).reduce((total, [one, count]) => total + ((named.has(one) ? one : "") === field ? count : 0), 0);
      cell[isUnknownFailure(rule) ? "failed" : known ? "known" : "passed"] += 1;
    }
  }
  return cells;
}
