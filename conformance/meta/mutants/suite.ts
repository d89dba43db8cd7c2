// The runs of the suite against mutants: each mutant with its rules and seeds, which of them share a server, and a run in a process of its own. The same
// file is that process: it runs the suite several times, so that vitest is loaded once, with one seed after the other, or for one wrong answer
// after the other, each given by a proxy in front of the same server.
//   node conformance/meta/mutants/suite.ts '{"proxy":{"port":4000,"server":"http://127.0.0.1:4001","keepsHost":true},"runs":[…]}'

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Profile } from "../../suite/command/settings.ts";
import { checkout, node } from "../../suite/contract/sources.ts";
import { parseEvents } from "../../suite/report/events.ts";
import type { Rule, Verdict } from "../../suite/report/run.ts";
import type { Depth } from "../../suite/values/run-settings.ts";
import type { Killer, Mutant } from "./mutant.ts";
import { openProxy, type ProxySettings, unchanged } from "./proxy.ts";
import { mutants } from "./table.ts";

/** The result of a run of the suite. `bugs`: what the wrong answer itself has thrown. */
export type Finding = { verdict: Verdict; reason: string | null; rules: Rule[]; errors: string[]; bugs: string[] };

/** The rules to run: families (all of the profile when empty), and a pattern of their titles (null: all). */
type Selection = { families: readonly string[]; titles: RegExp | null };

/** One run: `name` is that of the mutant, or of the unchanged server. `report`: folder of its reports. */
export type SuiteRun = Selection & { name: string; seed: string; depth: Depth; report: string };

/** A server that runs elsewhere, and the rules that it is to keep. */
export type Foreign = { url: string; profile: Profile };

/** The server that is tested: a file that describes ours (SERVED), or another one; and the proxy to open in front of it. */
export type Tested = { proxy: ProxySettings | null } & ({ served: string } | { foreign: Foreign });

/** What the process of the suite is told: the proxy that it opens, and the runs. */
type Program = {
  proxy: ProxySettings | null;
  runs: { name: string; seed: string; report: string; titles: string; options: string[] }[];
};

/** What `make mutants` is to do. */
export type Settings = {
  /** Names of mutants. */
  names: readonly string[];
  /** Runs every rule, not only the rule files that must fail. */
  full: boolean;
  /** Each mutant is run with each of them, and must be killed every time. */
  seeds: readonly string[];
  concurrency: number;
  /** Folder for the kill matrix and the suite's reports. */
  report: string;
  /** The server that wrong answers are put in front of; null: ours. */
  foreign: Foreign | null;
};

/** One mutant; `mutant` is null for the unchanged server. The first seed runs the rules of `whole`, every further one those of `named`. */
export type Job = { name: string; mutant: Mutant | null; whole: Selection; named: Selection; proxied: boolean } & Pick<
  Settings,
  "seeds" | "report"
>;

/** Runs that share a server, one after the other: it takes longer to start than most wrong answers to be noticed. */
const sharingServer = 12;

/**
 * The unchanged server comes first: it takes longest, since it must pass the rule files of all edits. Behind the proxy, which takes every
 * request and answer apart and changes nothing then, it must pass the rules that wrong answers fail.
 */
export function createJobs({ names, full, ...how }: Settings): Job[] {
  const selected = Object.entries(mutants).filter(([name]) => names.includes(name));
  const [proxied, edited] = [selected.filter(([, one]) => "interceptor" in one), selected.filter(([, one]) => "edit" in one)];
  const jobOf = (name: string, mutant: Mutant | null, killers: readonly Killer[], isProxied: boolean): Job => {
    const named = selectionOf(killers);
    const whole = isProxied && !full ? named : { families: full ? [] : named.families, titles: null };
    return { name, mutant, whole, named, proxied: isProxied, ...how };
  };
  const killersOf = (some: typeof selected): Killer[] => some.flatMap(([, { killedBy }]) => killedBy);
  return [
    ...(edited.length > 0 ? [jobOf("unbroken", null, killersOf(edited), false)] : []),
    ...(proxied.length > 0 ? [jobOf("unbroken behind the proxy", null, killersOf(proxied), true)] : []),
    ...selected.map(([name, mutant]) => jobOf(name, mutant, mutant.killedBy, "interceptor" in mutant)),
  ];
}

/** The jobs in their order: wrong answers several together, all others alone, as well as those that run every rule. */
export function batchesOf(jobs: readonly Job[], { full }: Pick<Settings, "full">): Job[][] {
  const batches: Job[][] = [];
  for (const job of jobs) {
    const last = batches.at(-1);
    const [first] = last ?? [];
    const isShared = !full && job.proxied && job.mutant && first?.proxied && first.mutant && (last?.length ?? 0) < sharingServer;
    if (isShared) last?.push(job);
    else batches.push([job]);
  }
  return batches;
}

/**
 * The runs of a batch, those together that share a server. A streamer may create sixty keys in an hour: each seed of several wrong answers has
 * a server of its own, and so has each of the unchanged server, which runs the rules of all mutants.
 */
export function sharesOf(batch: readonly Job[]): SuiteRun[][] {
  const [first, ...others] = batch;
  const runs = batch.flatMap(runsOf);
  if (!first?.mutant) return runs.map((one) => [one]);
  if (others.length > 0) return [...Map.groupBy(runs, ({ seed }) => seed).values()];
  return [...Map.groupBy(runs.entries(), ([index]) => Math.floor(index / sharingServer)).values()].map((some) =>
    some.map(([, one]) => one),
  );
}

/** The runs of a job, one for each seed. */
const runsOf = ({ name, whole, named, proxied, seeds, report }: Job): SuiteRun[] =>
  seeds.map((seed, index) => ({
    name,
    seed,
    ...(index === 0 ? whole : named),
    depth: proxied ? "full" : depthFor(whole.families),
    report: join(report, name, seed),
  }));

/** For an edit a quick run of interface/ and derived/ is sufficient: it runs all of their rules, with fewer values. */
const depthFor = (families: readonly string[]): Depth =>
  families.length > 0 && families.every((family) => /^(interface|derived)\//.test(family)) ? "quick" : "full";

/** The file in the folder of a run's reports that names what the wrong answer has thrown. */
const faultsFile = "faults.json";

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
  const child = spawn(node, ["conformance/meta/mutants/suite.ts", JSON.stringify(program)], {
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

if (import.meta.main) {
  await runHere(JSON.parse(process.argv[2] ?? ""));
  process.exit(0);
}

async function runHere({ proxy, runs }: Program): Promise<void> {
  const { readSettings } = await import("../../suite/command/options.ts");
  const { exitCodes, run } = await import("../../suite/command/run.ts");
  const opened = proxy && (await openProxy(proxy));
  for (const { name, seed, report, titles, options } of runs) {
    const mutant = mutants[name];
    const faults = new Set<string>();
    const onFault = ({ stack, message }: Error): void => void faults.add(stack ?? message);
    opened?.intercept({ interceptor: mutant && "interceptor" in mutant ? mutant.interceptor() : unchanged, onFault });
    process.env.MUTANT = mutant ? name : "";
    const settings = readSettings(["--seed", seed, "--report", report, ...options]);
    const exitCode = await run(titles === "" ? settings : { ...settings, titles: new RegExp(titles, "i") });
    mkdirSync(report, { recursive: true });
    writeFileSync(join(report, faultsFile), JSON.stringify([...faults]));
    if (exitCode === exitCodes["not measurable"] && !opened) break; // Ctrl-C ends a run so
  }
}
