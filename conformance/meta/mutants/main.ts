// `make mutants`: runs the suite against servers with one thing broken each, to measure how strong the suite is.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Profile, profiles } from "../../suite/command/settings.ts";
import type { Mutant } from "./mutant.ts";
import { type Evaluation, evaluate, evaluateSeeds, evaluateUnbroken, isGood, line, matrix, type Row, summary } from "./outcome.ts";
import { foreignServer, ownServers, prepareEnvironment, type Servers } from "./servers.ts";
import { batchesOf, createJobs, type Finding, type Foreign, type Job, runSuite, type Settings, type SuiteRun, sharesOf } from "./suite.ts";
import { areas, mutants } from "./table.ts";

const help = `Runs the conformance suite against mutants: servers with one thing broken each. The rules named for a mutant must fail.

  node conformance/meta/mutants/main.ts [options] [MUTANT …]

  --area TEXT     only mutants of areas whose name contains the text, such as "answers" or "oauth"
  --full          runs every rule of profile contract, not only the rules that must fail, and for edits their rule files
  --at-once N     number of mutants to run at the same time (default: 2; with --url 1)
  --seed SEED     first seed of the suite (default: 1)
  --seeds N       number of seeds, one after the other; a mutant must be killed with each (default: 1). The first runs the rule
                  files that must fail, every further one only the rules that must; the unchanged server runs all of these files
                  with each seed, on a database of its own
  --url URL       puts the wrong answers in front of the server at this address instead of ours; edits need our sources
  --profile NAME  with --url: interface leaves out the wrong answers that other rules must notice (default: contract)
  --report DIR    folder for the kill matrix and the suite's reports (default: mutants-report)
  --help          prints this text

DATABASE_URL is the address of a PostgreSQL server for the mutants' databases; without it an embedded one is started. With --url, API_KEY
and the other credentials are read from the environment, as by the conformance command (conformance/main.ts --help). Ctrl-C and SIGTERM
let the mutants that run finish, and start no other.

Exit codes: 0 every mutant was killed; 1 one survived, was missed or could not be measured, the unchanged server fails rules, or not all
            were run; 64 wrong usage

Areas and their mutants:

${[...areas].map(([area, names]) => `${area}: ${names.join(", ")}`).join("\n")}`;

const text = { type: "string" } as const;

const flag = { type: "boolean", default: false } as const;

const options = {
  full: flag,
  help: flag,
  area: { ...text, default: "" },
  seed: { ...text, default: "1" },
  seeds: { ...text, default: "1" },
  url: { ...text, default: "" },
  profile: { ...text, default: "contract" },
  "at-once": { ...text, default: "2" },
  report: { ...text, default: "mutants-report" },
};

const { values, positionals } = readArguments();

if (values.help) {
  console.log(help);
  process.exit(0);
}

const { full, report, url } = values;

const [first, count, concurrency] = [values.seed, values.seeds, values["at-once"]].map(Number) as [number, number, number];

const profile = profiles.find((one) => one === values.profile);

const names = namesOf(profile);

const faults = [
  ...positionals.filter((name) => !(name in mutants)).map((name) => `unknown mutant: ${name}`),
  ...(Number.isSafeInteger(first) && isCount(count) ? [] : ["--seed must be an integer, and --seeds one above 0"]),
  ...(isCount(concurrency) ? [] : ["--at-once must be an integer above 0"]),
  ...(profile ? [] : [`--profile must be one of ${profiles.join(", ")}`]),
  ...(url === "" || URL.canParse(url) ? [] : ["--url must be an address"]),
  ...(url !== "" && !process.env.API_KEY ? ["--url needs API_KEY in the environment"] : []),
  ...(names.length > 0 ? [] : ["no mutant is selected"]),
];

if (faults.length > 0) refuse(faults);

const foreign: Foreign | null = url === "" ? null : { url, profile: profile as Profile };

const seeds = Array.from({ length: count }, (_, index) => String(first + index));

process.exit((await run({ names, full, seeds, report, concurrency, foreign })) ? 0 : 1);

function readArguments() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse([(error as Error).message]);
  }
}

/** The selected mutants. */
function namesOf(profile: Profile | undefined): string[] {
  const ofAreas = [...areas].filter(([area]) => area.toLowerCase().includes(values.area.toLowerCase())).flatMap(([, some]) => some);
  const chosen = positionals.length > 0 ? ofAreas.filter((name) => positionals.includes(name)) : ofAreas;
  return url === "" ? chosen : chosen.filter((name) => fitsAnyServer(mutants[name] as Mutant, profile));
}

/** Whether the mutant is a wrong answer whose rules are all of the profile. */
function fitsAnyServer(mutant: Mutant, profile: Profile | undefined): boolean {
  return "interceptor" in mutant && (profile === "contract" || mutant.killedBy.every(([family]) => family.startsWith("interface/")));
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number > 0;
}

function refuse(faults: readonly string[]): never {
  console.error(`${faults.join("\n")}\nRun with --help for the list of options, areas and mutants.`);
  process.exit(64);
}

/** Runs the suite against the mutants and prints the kill matrix. Resolves to false unless every mutant was killed. */
async function run(settings: Settings): Promise<boolean> {
  const begun = performance.now();
  const { report } = settings;
  rmSync(report, { recursive: true, force: true });
  mkdirSync(report, { recursive: true });
  const all = createJobs(settings);
  const queue = batchesOf(all, settings);
  const stop = (): void => void queue.splice(0); // running mutants are finished and cleaned up
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const rows = await runAll(settings, queue);
  const tables = `${matrix(groupByArea(rows))}\n${summary(rows)}`;
  writeFileSync(join(report, "matrix.json"), JSON.stringify(rows, null, 1));
  writeFileSync(join(report, "matrix.txt"), `${tables}\n`);
  console.log(`\n${tables}, in ${((performance.now() - begun) / 1000).toFixed(0)} s; see ${report} for the report of each run`);
  return rows.length === all.length && rows.every(isGood);
}

async function runAll({ foreign, concurrency }: Settings, queue: Job[][]): Promise<Row[]> {
  const rows: Row[] = [];
  // A run puts back what it has changed for the streamer of a server that is not ours: only one at a time can.
  if (foreign) await runBatches(foreignServer(foreign), queue, rows);
  else {
    const environment = await prepareEnvironment(process.env.DATABASE_URL);
    const work = async (): Promise<void> => runBatches(await ownServers(environment), queue, rows);
    await Promise.all(Array.from({ length: concurrency }, work)).finally(environment.close);
  }
  return rows;
}

async function runBatches(servers: Servers, queue: Job[][], rows: Row[]): Promise<void> {
  try {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      const begun = performance.now();
      const findings = await runBatch(servers, batch);
      const milliseconds = (performance.now() - begun) / batch.length;
      for (const job of batch) rows.push(evaluateJob(job, findings.get(job.name) ?? [], milliseconds));
      for (const row of rows.slice(-batch.length)) console.log(line(row));
    }
  } finally {
    await servers.close();
  }
}

function evaluateJob({ name, mutant, seeds }: Job, findings: readonly Finding[], milliseconds: number): Row {
  const evaluated = (finding: Finding): Evaluation => (mutant ? evaluate(mutant.killedBy, finding) : evaluateUnbroken(finding));
  return { name, broken: mutant?.broken ?? "nothing", ...evaluateSeeds(seeds, findings.map(evaluated)), milliseconds };
}

/** Runs each job with each seed; returns their findings by name, seed after seed. */
async function runBatch(servers: Servers, batch: readonly Job[]): Promise<Map<string, Finding[]>> {
  const findings = new Map<string, Finding[]>(batch.map(({ name }) => [name, []]));
  for (const runs of sharesOf(batch)) {
    const found = await runOnServer(servers, batch, runs);
    for (const [index, { name }] of runs.entries()) findings.get(name)?.push(found[index] as Finding);
  }
  return findings;
}

async function runOnServer(servers: Servers, [job]: readonly Job[], runs: readonly SuiteRun[]): Promise<Finding[]> {
  const edit = job?.mutant && "edit" in job.mutant ? job.mutant.edit : null;
  const trial = { edit, proxied: job?.proxied ?? false, report: runs[0]?.report ?? "" };
  return servers.provide(trial, (tested) => runSuite(runs, tested)).catch((error: Error) => runs.map(() => notMeasurable(error)));
}

/** The result of a mutant that does not start, or whose edit does not fit the code. */
function notMeasurable({ message: reason }: Error): Finding {
  return { verdict: "not measurable", reason, rules: [], errors: [], bugs: [] };
}

function groupByArea(rows: readonly Row[]): Map<string, Row[]> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const found = [...areas].map(([area, names]) => [area, names.flatMap((name) => byName.get(name) ?? [])] as const);
  return new Map(found.filter(([, theirs]) => theirs.length > 0));
}
