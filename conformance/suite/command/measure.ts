// Writes measured.json, what is known of each rule file before a run: node conformance/suite/command/measure.ts [conformance-report]
// The report of a run of some rule files (--only) renews these alone; what a rule file is measured by is a run with --depth full.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { families, type Rule, sum, valuesOf } from "../report/run.ts";
import { type Sample, sampleSize, samples } from "../values/run-settings.ts";
import type { Measured, MeasuredRequests } from "./measured.ts";
import { readRun } from "./results.ts";
import { ruleFamilies } from "./rule-files.ts";
import { UsageError } from "./usage-error.ts";

const file = fileURLToPath(new URL("measured.json", import.meta.url));

const [folder = "conformance-report"] = process.argv.slice(2);
const { depth, rules } = readRun(folder);
if (depth !== "full") throw new UsageError(`the run of ${folder} has the depth ${depth}: measured is a full run`);
const known: Record<string, Measured> = JSON.parse(readFileSync(file, "utf8"));
const ran = families(rules.filter(({ state }) => state !== "not run"));
const lines = ruleFamilies().flatMap((family) => {
  const some = ran.get(family);
  const measured = some ? measuredOf(some) : known[family];
  return measured ? [`  ${JSON.stringify(family)}: ${JSON.stringify(measured)}`] : [];
});
writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);

function measuredOf(some: readonly Rule[]): Measured {
  return {
    milliseconds: Math.ceil(sum(some.map(({ milliseconds }) => milliseconds))),
    requests: requestsOf(some),
    operations: [...new Set(some.flatMap(({ operations }) => operations))].sort(),
  };
}

/** The requests of a full run, and how many of them are left where a rule tries fewer values. */
function requestsOf(some: readonly Rule[]): MeasuredRequests {
  const { quick, standard, full } = samples;
  const inSample = (sample: Sample): number => Math.ceil(sum(some.map((rule) => rule.requests * shareOf(sample, rule))));
  return { fewest: inSample({ ...quick, values: 0 }), quick: inSample(quick), standard: inSample(standard), full: inSample(full) };
}

/** The share of a rule's values that a sample contains. */
function shareOf(sample: Sample, rule: Rule): number {
  const all = sum(rule.chosenFrom);
  const values = Math.max(1, all, valuesOf(rule)); // some rules try further values in every run
  return (values - all + sum(rule.chosenFrom.map((size) => sampleSize(sample, size)))) / values;
}
