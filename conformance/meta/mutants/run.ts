// Runs the suite against all mutants, several at a time.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { prepareEnvironment } from "./environment.ts";
import { batchesOf, createJobs, type Job, sharesOf } from "./jobs.ts";
import { line, matrix, type Row, summary } from "./matrix.ts";
import { type Evaluation, evaluate, evaluateSeeds, evaluateUnbroken, isGood } from "./outcome.ts";
import type { Settings } from "./settings.ts";
import { type Finding, runSuite, type SuiteRun } from "./suite.ts";
import { areas } from "./table.ts";
import { foreignServer, ownServers, type Servers } from "./trial.ts";

/** Runs the suite against the mutants and prints the kill matrix. Resolves to false unless every mutant was killed. */
export async function run(settings: Settings): Promise<boolean> {
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
const notMeasurable = (error: Error): Finding => ({
  verdict: "not measurable",
  reason: error.message,
  rules: [],
  errors: [],
  bugs: [],
});

function groupByArea(rows: readonly Row[]): Map<string, Row[]> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const found = [...areas].map(([area, names]) => [area, names.flatMap((name) => byName.get(name) ?? [])] as const);
  return new Map(found.filter(([, theirs]) => theirs.length > 0));
}
