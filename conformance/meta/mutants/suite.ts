// Runs the suite against a running server and reads its events.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Profile } from "../../suite/command/settings.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import { parseEvents } from "../../suite/report/events.ts";
import type { Rule, Verdict } from "../../suite/report/run.ts";
import type { Depth } from "../../suite/values/run-settings.ts";
import type { Killer } from "./mutant.ts";
import type { ProxySettings } from "./proxy.ts";

/** The result of a run of the suite. `bugs`: what the wrong answer itself has thrown. */
export type Finding = { verdict: Verdict; reason: string | null; rules: Rule[]; errors: string[]; bugs: string[] };

/** The rules to run: families (all of the profile when empty), and a pattern of their titles (null: all). */
export type Selection = { families: readonly string[]; titles: RegExp | null };

/** One run: `name` is that of the mutant, or of the unchanged server. `report`: folder of its reports. */
export type SuiteRun = Selection & { name: string; seed: string; depth: Depth; report: string };

/** A server that runs elsewhere, and the rules that it is to keep. */
export type Foreign = { url: string; profile: Profile };

/** The server that is tested: a file that describes ours (SERVED), or another one; and the proxy to open in front of it. */
export type Tested = { proxy: ProxySettings | null } & ({ served: string } | { foreign: Foreign });

/** What run-suite.ts is told: the proxy that it opens, and the runs. */
export type Program = {
  proxy: ProxySettings | null;
  runs: { name: string; seed: string; report: string; titles: string; options: string[] }[];
};

/** The file in the folder of a run's reports that names what the wrong answer has thrown. */
export const faultsFile = "faults.json";

/** For each run: the unchanged server passes the rule files of all mutants in about eight minutes on an idle machine. */
const timeoutMs = 30 * 60_000;

/** The rules that must fail, and perhaps a few of their families whose titles are alike. */
export const selectionOf = (killers: readonly Killer[]): Selection => ({
  families: [...new Set(killers.map(([family]) => family))],
  titles: new RegExp([...new Set(killers.map(([, title]) => `(?:${title.source})`))].join("|").replaceAll(" > ", " (?:> )?"), "i"),
});

/** Runs the suite against the server, one run after the other. The output is written to run.log in the folder of the first. */
export async function runSuite(runs: readonly SuiteRun[], tested: Tested): Promise<Finding[]> {
  const [first] = runs;
  if (!first) return [];
  const { API_URL: _url, DEPTH: _depth, ...env } = process.env;
  for (const { report } of runs) await mkdir(report, { recursive: true });
  const { proxy } = tested;
  const program: Program = { proxy, runs: runs.map((one) => toArguments(one, serverOptions(tested))) };
  const child = spawn(node, ["conformance/meta/mutants/run-suite.ts", JSON.stringify(program)], {
    cwd: checkout,
    env: "served" in tested ? { ...env, SERVED: tested.served } : env,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs * runs.length,
  });
  child.stdout.pipe(createWriteStream(join(first.report, "run.log")));
  await once(child, "exit");
  return Promise.all(runs.map(({ report }) => readFinding(report)));
}

function serverOptions(tested: Tested): string[] {
  if ("served" in tested) return [];
  const { url, profile } = tested.foreign;
  const { pathname } = new URL(url);
  return ["--url", `http://127.0.0.1:${tested.proxy?.port}${pathname}`, "--profile", profile];
}

function toArguments({ name, seed, report, families, titles, depth }: SuiteRun, server: string[]): Program["runs"][number] {
  const only = families.length > 0 ? ["--only", `/^(?:${families.join("|")})$/`] : [];
  return { name, seed, report, titles: titles?.source ?? "", options: ["--depth", depth, "--no-corpus", ...server, ...only] };
}

/** A run that was killed may have written nothing. */
async function readFinding(report: string): Promise<Finding> {
  const read = (name: string): Promise<string> => readFile(join(report, name), "utf8").catch(() => "");
  const [events, faults] = [parseEvents(await read("events.ndjson")), await read(faultsFile)];
  const end = events.find((one) => one.event === "end");
  return {
    verdict: end?.verdict ?? "not measurable",
    reason: end ? (end.reason?.text ?? null) : "the run ended without a result",
    rules: events.filter((one) => one.event === "rule"),
    errors: events.filter((one) => one.event === "error").map(({ message }) => message),
    bugs: faults === "" ? [] : JSON.parse(faults),
  };
}
