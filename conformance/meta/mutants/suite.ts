// Runs the suite against a running server and reads its events.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkout, node } from "../../suite/contract/sources.ts";
import { parseEvents } from "../../suite/report/events.ts";
import type { Rule, Verdict } from "../../suite/report/run.ts";
import type { Depth } from "../../suite/values/sample.ts";
import type { Killer } from "./mutant.ts";

/** The result of a run of the suite. */
export type Finding = { verdict: Verdict; reason: string | null; rules: Rule[]; errors: string[] };

/** The rules to run: families (all of the profile when empty), and a pattern of their titles (null: all). */
export type Selection = { families: readonly string[]; titles: RegExp | null };

/** One run: `name` is that of the mutant, or of the unchanged server. `report`: folder of its reports. */
export type SuiteRun = Selection & { name: string; seed: string; depth: Depth; report: string };

/** What run-suite.ts is told: the ports of the proxy that it opens, and the runs. */
export type Program = {
  proxy: Ports | null;
  runs: { name: string; seed: string; report: string; titles: string; options: string[] }[];
};
export type Ports = { port: number; serverPort: number };

/** For each run: the unchanged server passes the rule files of all mutants in about eight minutes on an idle machine. */
const timeoutMs = 30 * 60_000;

/** The rules that must fail, and perhaps a few of their families whose titles are alike. */
export const selectionOf = (killers: readonly Killer[]): Selection => ({
  families: [...new Set(killers.map(([family]) => family))],
  titles: new RegExp([...new Set(killers.map(([, title]) => `(?:${title.source})`))].join("|").replaceAll(" > ", " (?:> )?"), "i"),
});

/**
 * Runs the suite with profile `contract` against the server that the file `served` describes, one run after the other. The output is
 * written to run.log in the folder of the first.
 */
export async function runSuite(runs: readonly SuiteRun[], served: string, proxy: Ports | null): Promise<Finding[]> {
  const [first] = runs;
  if (!first) return [];
  const { API_URL: _url, DEPTH: _depth, ...env } = process.env;
  for (const { report } of runs) await mkdir(report, { recursive: true });
  const program: Program = { proxy, runs: runs.map(toArguments) };
  const child = spawn(node, ["conformance/meta/mutants/run-suite.ts", JSON.stringify(program)], {
    cwd: checkout,
    env: { ...env, SERVED: served },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs * runs.length,
  });
  child.stdout.pipe(createWriteStream(join(first.report, "run.log")));
  await once(child, "exit");
  return Promise.all(runs.map(({ report }) => readEvents(join(report, "events.ndjson"))));
}

function toArguments({ name, seed, report, families, titles, depth }: SuiteRun): Program["runs"][number] {
  const only = families.length > 0 ? ["--only", `/^(?:${families.join("|")})$/`] : [];
  return { name, seed, report, titles: titles?.source ?? "", options: ["--depth", depth, "--no-corpus", ...only] };
}

async function readEvents(file: string): Promise<Finding> {
  const events = parseEvents(await readFile(file, "utf8").catch(() => "")); // a run that was killed may have written none
  const end = events.find((one) => one.event === "end");
  return {
    verdict: end?.verdict ?? "not measurable",
    reason: end ? (end.reason?.text ?? null) : "the run ended without a result",
    rules: events.filter((one) => one.event === "rule"),
    errors: events.filter((one) => one.event === "error").map(({ message }) => message),
  };
}
