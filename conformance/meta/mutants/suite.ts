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

export type SuiteOptions = Selection & {
  /** The file that describes the server (SERVED). */
  served: string;
  depth: Depth;
  seeds: readonly string[];
  /** Folder of the reports; each seed has its own in it. */
  report: string;
  /** Name of the mutant; null: the unchanged server. */
  name: string | null;
};

/** For each seed: the unchanged server passes the rule files of all mutants in about eight minutes on an idle machine. */
const timeoutMs = 30 * 60_000;

/** The rules that must fail, and perhaps a few of their families whose titles are alike. */
export const selectionOf = (killers: readonly Killer[]): Selection => ({
  families: [...new Set(killers.map(([family]) => family))],
  titles: new RegExp([...new Set(killers.map(([, title]) => `(?:${title.source})`))].join("|").replaceAll(" > ", " (?:> )?"), "i"),
});

/** Runs the suite with profile `contract` and each seed. Its output is written to run.log in the folder of the first seed. */
export async function runSuite({ served, families, titles, depth, seeds, report, name }: SuiteOptions): Promise<Finding[]> {
  const [first] = seeds;
  if (first === undefined) return [];
  const only = families.length > 0 ? ["--only", `/^(?:${families.join("|")})$/`] : [];
  const options = ["--depth", depth, "--no-corpus", ...only];
  const { API_URL: _url, DEPTH: _depth, ...env } = process.env;
  await mkdir(join(report, first), { recursive: true });
  const child = spawn(node, ["conformance/meta/mutants/run-seeds.ts", report, seeds.join(","), titles?.source ?? "", ...options], {
    cwd: checkout,
    env: { ...env, SERVED: served, MUTANT: name ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs * seeds.length,
  });
  child.stdout.pipe(createWriteStream(join(report, first, "run.log")));
  await once(child, "exit");
  return Promise.all(seeds.map((seed) => readEvents(join(report, seed, "events.ndjson"))));
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
