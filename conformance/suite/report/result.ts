// result.yaml: what came of a run, in a few lines. Tables of results are made from such files.

import { headlineOf, type Outcome } from "./headline.ts";
import { type Counts, countsOf, type Digest, digestsOf, families, isUnknownFailure, type Rule, type Run } from "./run.ts";

/** The members of result.yaml, in this order. */
export type Result = {
  implementation: string;
  outcome: Outcome;
  headline: string;
  url: string;
  /** Versions. */
  contract: string;
  suite: string;
  profile: string;
  depth: string;
  /** What a character of a text is; "" in files of earlier versions. */
  lengthUnit: string;
  only: string | null;
  /** The commit of `--changed-since`. */
  changedSince: string | null;
  /** Such as "1/4". */
  shard: string | null;
  /** How many rule files the depth has left out. */
  filesLeftOut: number;
  mutant: string | null;
  seed: number;
  /** ISO 8601 in UTC. */
  startedAt: string;
  seconds: number;
  counts: Counts;
  /** How many rules failed, by rule family; known failures are not among them. */
  failures: Record<string, number>;
  /** Digests of the bytes that were sent, by folder. */
  digests: Record<string, string>;
};

export function resultOf(run: Run): Result {
  const { outcome, text } = headlineOf(run);
  const digests = digestsOf(run.rules).map(({ folder, digest }: Digest): [string, string] => [folder, digest]);
  return {
    implementation: run.implementation,
    outcome,
    headline: text,
    url: run.server.url,
    contract: run.versions.contract,
    suite: run.versions.suite,
    profile: run.profile,
    depth: run.depth,
    lengthUnit: run.lengthUnit,
    only: run.only,
    changedSince: run.changedSince,
    shard: run.shard === null ? null : `${run.shard.index}/${run.shard.count}`,
    filesLeftOut: run.leftOut.length,
    mutant: run.mutant,
    seed: run.seed,
    startedAt: run.startedAt.toISOString(),
    seconds: Math.round(run.milliseconds / 100) / 10,
    counts: countsOf(run.rules),
    failures: failuresOf(run.rules),
    digests: Object.fromEntries(digests),
  };
}

function failuresOf(rules: readonly Rule[]): Record<string, number> {
  const failed = rules.filter(isUnknownFailure);
  return Object.fromEntries([...families(failed)].map(([family, some]) => [family, some.length]));
}

/** Writes the result as YAML: a line for each member, its value as JSON, which is YAML as well. */
export const yamlOf = (run: Run): string =>
  Object.entries(resultOf(run))
    .map(([name, value]) => (isMapping(value) ? mappingLines(name, value) : `${name}: ${JSON.stringify(value)}\n`))
    .join("");

const isMapping = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const mappingLines = (name: string, members: Record<string, unknown>): string =>
  Object.keys(members).length === 0
    ? `${name}: {}\n`
    : `${name}:\n${Object.entries(members)
        .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
        .join("")}`;

/** Reads a result.yaml that `yamlOf` wrote. Throws an error that names file and line, or the member that is missing. */
export function readResult(text: string, file: string): Result {
  const members: Record<string, unknown> = {};
  let mapping: Record<string, unknown> | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, indent = "", name = "", value = ""] = /^( *)([\w/-]+):\s*(.*)$/.exec(line) ?? [];
    const into: Record<string, unknown> | null = indent === "" ? members : mapping;
    if (name === "" || into === null) throw new Error(`${file}, line ${index + 1}: expected "name: value", not "${line}"`);
    into[name] = value === "" || value === "{}" ? {} : parsed(value, `${file}, line ${index + 1}`);
    if (indent === "") mapping = value === "" ? (into[name] as Record<string, unknown>) : null;
  }
  return complete(members, file);
}

function parsed(value: string, place: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`${place}: the value must be written as JSON, not ${value}`);
  }
}

function complete(members: Record<string, unknown>, file: string): Result {
  const required = ["implementation", "outcome", "headline", "contract", "suite", "profile", "depth", "seed", "startedAt", "counts"];
  const missing = required.filter((name) => !(name in members));
  if (missing.length > 0) throw new Error(`${file} is no result of the suite: ${missing.join(", ")} is missing`);
  const selection = { lengthUnit: "", only: null, changedSince: null, shard: null, filesLeftOut: 0 };
  return { failures: {}, digests: {}, url: "", ...selection, mutant: null, seconds: 0, ...members } as Result;
}
