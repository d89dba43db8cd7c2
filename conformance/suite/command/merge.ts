// Merges the reports of several shards into those of one run.

import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { parseEvents, runOf, writeEvents } from "../report/events.ts";
import type { Rule, Run, Verdict } from "../report/run.ts";
import { summary } from "../report/terminal.ts";
import { formats, prepareFolder, writeReports } from "../report/write.ts";
import { UsageError } from "./usage-error.ts";

/** Reads the reports of `folders` and writes merged ones into `report`. Returns the merged run. */
export function merge(folders: readonly string[], report: string): Run {
  if (folders.some((folder) => resolve(folder) === resolve(report)))
    throw new UsageError("--report must be another folder than those of the shards");
  const merged = mergeRuns(folders.map((folder) => readRun(folder)));
  prepareFolder(report);
  writeReports(report, merged);
  writeEvents(join(report, "events.ndjson"), merged);
  process.stdout.write(`${summary(merged, process.stdout)}reports are in ${report}: ${Object.keys(formats).join(", ")}, events.ndjson\n`);
  return merged;
}

/** Merges all shards of a run, which differ in their rules only. Throws UsageError when they are no shards of one run, or not all of them. */
export function mergeRuns(runs: readonly Run[]): Run {
  const [first] = runs;
  if (!first) throw new UsageError("there is nothing to merge");
  for (const name of ["profile", "depth", "lengthUnit", "seed", "only", "changedSince"] as const)
    for (const run of runs)
      if (run[name] !== first[name]) throw new UsageError(`the runs differ in ${name}: ${first[name]} and ${run[name]}`);
  expectAllShards(runs);
  const rules = runs.flatMap((run) => run.rules);
  const twice = firstRepeated(rules);
  if (twice) throw new UsageError(`two of the runs contain the rule ${twice}`);
  const leftOut = new Map(runs.flatMap((run) => run.leftOut.map((one) => [one.family, one])));
  return {
    ...first,
    shard: null,
    verdict: worstOf(runs.map(({ verdict }) => verdict)),
    reason: runs.find(({ reason }) => reason !== null)?.reason ?? null,
    milliseconds: Math.max(...runs.map(({ milliseconds }) => milliseconds)),
    notes: [...new Set(runs.flatMap(({ notes }) => notes))],
    rules,
    leftOut: [...leftOut.values()],
    errors: runs.flatMap(({ errors }) => errors),
  };
}

const worstOf = (verdicts: readonly Verdict[]): Verdict =>
  (["not measurable", "failed"] as const).find((verdict) => verdicts.includes(verdict)) ?? "passed";

/** Throws UsageError unless each shard of one run is there once. */
function expectAllShards(runs: readonly Run[]): void {
  const shards = runs.map(({ shard, server }) => {
    if (!shard) throw new UsageError(`the run against ${server.url} is no shard: it was made without --shard`);
    return shard;
  });
  const [count = 0, other] = [...new Set(shards.map((shard) => shard.count))];
  if (other !== undefined) throw new UsageError(`the runs are shards of different runs: of ${count} and of ${other}`);
  const given = shards.map(({ index }) => index);
  const repeated = given.find((index, at) => given.indexOf(index) < at);
  if (repeated !== undefined) throw new UsageError(`two of the runs are shard ${repeated}/${count}`);
  const missing = Array.from({ length: count }, (_, at) => at + 1).filter((index) => !given.includes(index));
  if (missing.length > 0)
    throw new UsageError(`merge needs all ${count} shards: ${missing.map((index) => `${index}/${count}`).join(", ")} missing`);
}

function firstRepeated(rules: readonly Rule[]): string | null {
  const seen = new Set<string>();
  for (const { family, title } of rules) {
    const name = `${family} > ${title}`;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}

/** Reads a run from the `events.ndjson` in a report folder. A run that has no end was interrupted: it is not measurable. */
export function readRun(folder: string): Run {
  const file = join(folder, "events.ndjson");
  if (!existsSync(file)) throw new UsageError(`${file} does not exist`);
  const events = parseEvents(readFileSync(file, "utf8"));
  if (!events.some(({ event }) => event === "start"))
    throw new UsageError(`${file} has no start: its server could not be started or reached`);
  return runOf(events);
}
