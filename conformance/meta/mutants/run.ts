// Runs the suite against all mutants, several at a time.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Depth } from "../../suite/values/sample.ts";
import { type Copy, copyServer } from "./copy.ts";
import { type Environment, prepareEnvironment } from "./environment.ts";
import { line, matrix, type Row, summary } from "./matrix.ts";
import type { Killer, Mutant } from "./mutant.ts";
import { type Evaluation, evaluate, evaluateSeeds, evaluateUnbroken, isGood } from "./outcome.ts";
import { type Finding, runSuite, type Selection, type SuiteRun, selectionOf } from "./suite.ts";
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
type Job = { name: string; mutant: Mutant | null; whole: Selection; named: Selection; proxied: boolean } & Pick<
  Settings,
  "seeds" | "report"
>;

/** Wrong answers that share a server, one after the other: a server takes longer to start than most of them to be noticed. */
const sharingServer = 12;

/** Runs the suite against the mutants and prints the kill matrix. Resolves to false unless every mutant was killed. */
export async function run(settings: Settings): Promise<boolean> {
  const begun = performance.now();
  const { report } = settings;
  rmSync(report, { recursive: true, force: true });
  mkdirSync(report, { recursive: true });
  const all = createJobs(settings);
  const queue = batchesOf(all);
  const stop = (): void => void queue.splice(0); // running mutants are finished and cleaned up
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const environment = await prepareEnvironment(process.env.DATABASE_URL);
  const rows: Row[] = [];
  const workers = Array.from({ length: settings.concurrency }, () => runBatches(environment, queue, rows));
  await Promise.all(workers).finally(environment.close);
  const tables = `${matrix(groupByArea(rows))}\n${summary(rows)}`;
  writeFileSync(join(report, "matrix.json"), JSON.stringify(rows, null, 1));
  writeFileSync(join(report, "matrix.txt"), `${tables}\n`);
  console.log(`\n${tables}, in ${((performance.now() - begun) / 1000).toFixed(0)} s; see ${report} for the report of each run`);
  return rows.length === all.length && rows.every(isGood);
}

/**
 * The unchanged server comes first: it takes longest, since it must pass the rule files of all edits. Behind the proxy, which changes nothing
 * then, it must pass the rules that wrong answers fail.
 */
function createJobs({ names, full, ...how }: Settings): Job[] {
  const selected = Object.entries(mutants).filter(([name]) => names.length === 0 || names.includes(name));
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

/** The jobs in their order: wrong answers several together, all others alone. */
function batchesOf(jobs: readonly Job[]): Job[][] {
  const batches: Job[][] = [];
  for (const job of jobs) {
    const last = batches.at(-1);
    const [first] = last ?? [];
    const isShared = job.proxied && job.mutant && first?.proxied && first.mutant && (last?.length ?? 0) < sharingServer;
    if (isShared) last?.push(job);
    else batches.push([job]);
  }
  return batches;
}

async function runBatches(environment: Environment, queue: Job[][], rows: Row[]): Promise<void> {
  const copy = await copyServer();
  try {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      const begun = performance.now();
      const findings = await runBatch(environment, copy, batch);
      const milliseconds = (performance.now() - begun) / batch.length;
      for (const job of batch) rows.push(evaluateJob(job, findings.splice(0, job.seeds.length), milliseconds));
      for (const row of rows.slice(-batch.length)) console.log(line(row));
    }
  } finally {
    await copy.remove();
  }
}

function evaluateJob({ name, mutant, seeds }: Job, findings: readonly Finding[], milliseconds: number): Row {
  const evaluated = (finding: Finding): Evaluation => (mutant ? evaluate(mutant.killedBy, finding) : evaluateUnbroken(finding));
  return { name, broken: mutant?.broken ?? "nothing", ...evaluateSeeds(seeds, findings.map(evaluated)), milliseconds };
}

/**
 * Runs each job with each seed. The unchanged server runs so many rules that one streamer would exceed the quota of keys in an hour: each
 * seed has a server of its own.
 */
async function runBatch(environment: Environment, copy: Copy, batch: readonly Job[]): Promise<Finding[]> {
  const runs = batch.flatMap(runsOf);
  const shares = batch.some(({ mutant }) => mutant) ? [runs] : runs.map((one) => [one]);
  const findings: Finding[] = [];
  for (const share of shares) findings.push(...(await runOnServer(environment, copy, batch, share)));
  return findings;
}

async function runOnServer(environment: Environment, copy: Copy, [job]: readonly Job[], runs: readonly SuiteRun[]): Promise<Finding[]> {
  const edit = job?.mutant && "edit" in job.mutant ? job.mutant.edit : null;
  const trial = { edit, proxied: job?.proxied ?? false, report: runs[0]?.report ?? "" };
  return withTrial(environment, copy, trial, ({ served, proxy }) => runSuite(runs, served, proxy)).catch((error: Error) =>
    runs.map(() => notMeasurable(error)),
  );
}

const runsOf = ({ name, whole, named, seeds, report }: Job): SuiteRun[] =>
  seeds.map((seed, index) => ({
    name,
    seed,
    ...(index === 0 ? whole : named),
    depth: depthFor(whole.families),
    report: join(report, name, seed),
  }));

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
