// Results of several runs: the shards of one run are merged, and a page shows many runs side by side.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { assets } from "../report/assets.ts";
import { parseEvents, runOf, writeEvents } from "../report/events.ts";
import { count, type Markup, markup, plural, raw, when } from "../report/format.ts";
import { isPartial, share } from "../report/headline.ts";
import { type Result, readResult } from "../report/result.ts";
import type { Rule, Run, Verdict } from "../report/run.ts";
import { summary } from "../report/terminal.ts";
import { formats, prepareFolder, writeReports } from "../report/write.ts";
import { UsageError } from "./usage-error.ts";

// Merges the reports of several shards into those of one run.

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

// The command that makes one page of the results of many servers.

/** Writes `index.html` into the folder and returns what to print. Throws UsageError for a folder without results and for a file that is no result. */
export function writeTable(folder: string): string {
  if (!existsSync(folder)) throw new UsageError(`table: there is no folder ${folder}`);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const matrices = files.filter((file) => file.endsWith("matrix.json")).sort();
  const isOfMutants = (file: string): boolean => matrices.some((matrix) => !relative(dirname(matrix), file).startsWith(".."));
  const results = files.filter((file) => file.endsWith("result.yaml") && !isOfMutants(file)).sort();
  if (results.length + matrices.length === 0) throw new UsageError(`table: there is no result.yaml and no matrix.json in ${folder}`);
  const page = join(folder, "index.html");
  writeFileSync(page, tableOf(results.map(read), matrices.flatMap(readMatrix)));
  return `${page}: ${results.length} results, ${matrices.length} kill matrices\n`;
}

function read(file: string): Result {
  try {
    return readResult(readFileSync(file, "utf8"), file);
  } catch (error) {
    throw new UsageError(`table: ${error instanceof Error ? error.message : error}`);
  }
}

function readMatrix(file: string): MutantRow[] {
  try {
    const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(rows) && rows.every(isMutantRow)) return rows;
  } catch (error) {
    throw new UsageError(`table: ${file}: ${error instanceof Error ? error.message : error}`);
  }
  throw new UsageError(`table: ${file} is no kill matrix: each row needs name, outcome, broken and failed`);
}

const isMutantRow = (row: unknown): row is MutantRow =>
  typeof row === "object" && row !== null && ["name", "outcome", "broken", "failed"].every((name) => name in row);

// A page of many results: a row for each implementation, and the kill matrix of the mutants.

/** What `make mutants` found about one mutant, as its matrix.json says. */
type MutantRow = { name: string; outcome: string; broken: string; failed: readonly { family: string }[] };

/** Returns one static page without external resources. `mutants`: rows of the kill matrix; empty: there is none. */
export const tableOf = (results: readonly Result[], mutants: readonly MutantRow[]): string =>
  String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Conformance results</title>
<style>${raw(assets.style)}</style>
</head>
<body>
<header>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
<h1>Conformance results</h1>
<p class="headline">${plural(results.length, "result")} of the suite${when(mutants.length > 0, markup`, and ${plural(brokenOf(mutants).length, "mutant")}`)}</p>
</header>
<main>
${implementations(results)}
${failures(results)}
${killMatrix(mutants)}
</main>
<script>${raw(assets.script)}</script>
</body>
</html>
`);

const outcomeOf = (outcome: string, colour = outcome): Markup => markup`<b class="outcome ${colour.replace(" ", "-")}">${outcome}</b>`;

const columns = [
  "implementation",
  "outcome",
  "rules",
  "passed",
  "failed",
  "known",
  "not run",
  "requests",
  "profile",
  "contract",
  "suite",
  "seed",
];

function implementations(results: readonly Result[]): Markup {
  if (results.length === 0) return markup`<p class="lead">There is no result.yaml.</p>`;
  return markup`<section id="results"><h2>Implementations</h2>
<p class="lead">An outcome counts for the profile and depth beside it. Incomplete: no rule failed, but not everything required was tried. Passed in part: no rule failed of the selection, shard or sample that was run.</p>
${scrolling("Implementations", columns, results.map(resultRow))}
<ul>${results.map(({ implementation, headline }) => markup`<li><b>${implementation}</b>: ${headline}</li>`)}</ul>
</section>`;
}

function resultRow(result: Result): Markup {
  const { rules, passed, failed, known = 0, notRun, requests } = result.counts;
  const missing = notRun > 0 ? `${count(notRun)} (${share(notRun, rules)})` : "0";
  const cells = [rules, passed, failed, known].map(count);
  const texts = [...cells, missing, count(requests), selectionOf(result), result.contract, result.suite, String(result.seed)];
  return markup`<tr><th scope="row">${result.implementation}</th><td>${resultOutcome(result)}</td>${texts.map((text) => markup`<td>${text}</td>`)}</tr>
`;
}

/** Green only for a whole run without known failures. */
function resultOutcome({ outcome, counts, ...selection }: Result): Markup {
  if (outcome !== "passed") return outcomeOf(outcome);
  if (isPartial(selection)) return outcomeOf("passed in part", "incomplete");
  return outcomeOf(outcome, counts.known > 0 ? "known" : outcome);
}

/** What was run, as far as it was not everything. */
function selectionOf({ profile, depth, lengthUnit, only, changedSince, shard }: Result): string {
  return [
    profile,
    depth,
    ...(profile === "interface" && lengthUnit !== "" && lengthUnit !== "all" ? [`lengths in ${lengthUnit}`] : []),
    ...(only === null ? [] : [`only ${only}`]),
    ...(changedSince === null ? [] : [`changed since ${changedSince}`]),
    ...(shard === null ? [] : [`shard ${shard}`]),
  ].join(", ");
}

/** How many rules of each rule file failed: a column for each implementation of which a rule failed. */
function failures(results: readonly Result[]): Markup {
  const failing = results.filter(({ failures: found }) => Object.keys(found).length > 0);
  if (failing.length === 0) return markup``;
  const families = [...new Set(failing.flatMap(({ failures: found }) => Object.keys(found)))].sort();
  const rows = families.map((family) => {
    const cells = failing.map(({ failures: found }) => markup`<td>${family in found ? count(found[family] as number) : "·"}</td>`);
    return markup`<tr><th scope="row">${family}</th>${cells}</tr>
`;
  });
  return markup`<section id="failures"><h2>Failed rules</h2>
<p class="lead">How many rules of each rule file failed.</p>
${scrolling("Failed rules", ["rule file", ...failing.map(({ implementation }) => implementation)], rows)}</section>`;
}

const brokenOf = (mutants: readonly MutantRow[]): MutantRow[] =>
  mutants.filter(({ outcome }) => outcome !== "sound" && outcome !== "unsound");

function killMatrix(mutants: readonly MutantRow[]): Markup {
  if (mutants.length === 0) return markup``;
  const broken = brokenOf(mutants);
  const killed = broken.filter(({ outcome }) => outcome === "killed").length;
  return markup`<section id="mutants"><h2>Kill matrix</h2>
<p class="lead">This project's server with one thing broken each: ${count(killed)} of ${plural(broken.length, "mutant")} killed.</p>
${scrolling("Kill matrix", ["mutant", "outcome", "what is broken", "rules that failed"], mutants.map(mutantRow))}</section>`;
}

function mutantRow({ name, outcome, broken, failed }: MutantRow): Markup {
  const families = [...Map.groupBy(failed, ({ family }) => family)].map(([family, some]) => `${family} ${count(some.length)}`);
  return markup`<tr><th scope="row">${name}</th><td>${outcomeOf(outcome)}</td><td>${broken}</td><td>${families.join(", ") || "·"}</td></tr>
`;
}

/** A table that scrolls on a narrow screen, also by keyboard. */
const scrolling = (label: string, heads: readonly string[], rows: readonly Markup[]): Markup =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="results">
<thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
