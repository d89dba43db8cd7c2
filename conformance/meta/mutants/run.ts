// Runs the suite against all mutants, several at a time.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Depth } from "../../suite/values/sample.ts";
import { type Copy, copyServer } from "./copy.ts";
import { type Environment, prepareEnvironment } from "./environment.ts";
import { line, matrix, type Row, summary } from "./matrix.ts";
import type { Killer, Mutant } from "./mutant.ts";
import { type Evaluation, evaluate, evaluateSeeds, evaluateUnbroken, isGood } from "./outcome.ts";
import { type Finding, type Selection, selectionOf } from "./suite.ts";
import { areas, mutants } from "./table.ts";
import { withTrial } from "./trial.ts";

export type Settings = {
  /** Names of mutants; all when empty. */
  names: readonly string[];
  /** Runs every rule, not only the rule files that must fail. */
  full: boolean;
  /** Each mutant is run with each of them, and must be killed every time. */
  seeds: readonly string[];
  concurrency: number;
  /** Folder for the kill matrix and the suite's reports. */
  report: string;
};

/** One mutant; `mutant` is null for the unchanged server. The first seed runs the rules of `whole`, every further one those of `named`. */
type Job = { name: string; mutant: Mutant | null; whole: Selection; named: Selection } & Pick<Settings, "seeds" | "report">;

/** Runs the suite against the mutants and prints the kill matrix. Resolves to false unless every mutant was killed. */
export async function run(settings: Settings): Promise<boolean> {
  const begun = performance.now();
  const { report } = settings;
  rmSync(report, { recursive: true, force: true });
  mkdirSync(report, { recursive: true });
  const all = createJobs(settings);
  const queue = [...all];
  const stop = (): void => void queue.splice(0); // running mutants are finished and cleaned up
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const environment = await prepareEnvironment(process.env.DATABASE_URL);
  const rows: Row[] = [];
  const workers = Array.from({ length: settings.concurrency }, () => runJobs(environment, queue, rows));
  await Promise.all(workers).finally(environment.close);
  const tables = `${matrix(groupByArea(rows))}\n${summary(rows)}`;
  writeFileSync(join(report, "matrix.json"), JSON.stringify(rows, null, 1));
  writeFileSync(join(report, "matrix.txt"), `${tables}\n`);
  console.log(`\n${tables}, in ${((performance.now() - begun) / 1000).toFixed(0)} s; see ${report} for the report of each run`);
  return rows.length === all.length && rows.every(isGood);
}

/** The unchanged server comes first: it takes longest, since it must pass the rule files of all mutants. */
function createJobs({ names, full, ...how }: Settings): Job[] {
  const selected = Object.entries(mutants).filter(([name]) => names.length === 0 || names.includes(name));
  const jobOf = (name: string, mutant: Mutant | null, killers: readonly Killer[]): Job => {
    const named = selectionOf(killers);
    return { name, mutant, whole: { families: full ? [] : named.families, titles: null }, named, ...how };
  };
  const allKillers = selected.flatMap(([, { killedBy }]) => killedBy);
  return [jobOf("unbroken", null, allKillers), ...selected.map(([name, mutant]) => jobOf(name, mutant, mutant.killedBy))];
}

async function runJobs(environment: Environment, queue: Job[], rows: Row[]): Promise<void> {
  const copy = await copyServer();
  try {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const row = await runMutant(environment, copy, job);
      rows.push(row);
      console.log(line(row));
    }
  } finally {
    await copy.remove();
  }
}

/** Runs a mutant with each seed; it must be killed with every one. */
async function runMutant(environment: Environment, copy: Copy, job: Job): Promise<Row> {
  const begun = performance.now();
  const { name, mutant, seeds } = job;
  const findings: Finding[] = [];
  for (const shared of seedsOfServers(job)) findings.push(...(await runOnServer(environment, copy, { ...job, seeds: shared })));
  const evaluated = (finding: Finding): Evaluation => (mutant ? evaluate(mutant.killedBy, finding) : evaluateUnbroken(finding));
  const evaluation = evaluateSeeds(seeds, findings.map(evaluated));
  return { name, broken: mutant?.broken ?? "nothing", ...evaluation, milliseconds: performance.now() - begun };
}

/** The unchanged server runs so many rules that one streamer would exceed the quota of keys in an hour: each seed has a server of its own. */
const seedsOfServers = ({ mutant, seeds }: Job): (readonly string[])[] => (mutant ? [seeds] : seeds.map((seed) => [seed]));

async function runOnServer(environment: Environment, copy: Copy, { name, mutant, whole, named, seeds, report }: Job): Promise<Finding[]> {
  const trial = { mutant, name: mutant && name, depth: depthFor(whole.families), report: join(report, name) };
  const [first, further] = [seeds.slice(0, 1), seeds.slice(1)];
  return withTrial(environment, copy, trial, async (runSuite) => [
    ...(await runSuite(whole, first)),
    ...(await runSuite(named, further)),
  ]).catch((error: Error) => [notMeasurable(error)]);
}

/** The result of a mutant that does not start, or whose edit does not fit the code. */
const notMeasurable = (error: Error): Finding => ({ verdict: "not measurable", reason: error.message, rules: [], errors: [] });

/** A quick run is sufficient for interface/ and derived/: it runs all of their rules, with fewer values. */
const depthFor = (families: readonly string[]): Depth =>
  families.length > 0 && families.every((family) => /^(interface|derived)\//.test(family)) ? "quick" : "full";

function groupByArea(rows: readonly Row[]): Map<string, Row[]> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const found = [...areas].map(([area, names]) => [area, names.flatMap((name) => byName.get(name) ?? [])] as const);
  return new Map(found.filter(([, theirs]) => theirs.length > 0));
}
