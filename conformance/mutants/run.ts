import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Depth } from "../harness/generators/sample.ts";
import { type Copy, copyServer } from "./copy.ts";
import { judge, judgeUnbroken } from "./judge.ts";
import { isGood, line, matrix, type Row, summary } from "./matrix.ts";
import type { Mutant } from "./mutant.ts";
import { prepare, type Setting } from "./setting.ts";
import type { Finding } from "./suite.ts";
import { areas, mutants } from "./table.ts";
import { tryOut } from "./trial.ts";

export type Settings = {
  /** Names; none: all. */
  names: readonly string[];
  /** Every rule, not those files alone that must notice. */
  full: boolean;
  seed: string;
  atOnce: number;
  /** Folder of the matrix and of the suite's reports. */
  report: string;
};

/** `mutant` null: the server as it is. `families` none: all. */
type Job = { name: string; mutant: Mutant | null; families: string[] } & Pick<Settings, "seed" | "report">;

/** Tries the mutants out and prints the kill matrix. False: one is not as it should be. */
export async function run(settings: Settings): Promise<boolean> {
  const begun = performance.now();
  const { report } = settings;
  rmSync(report, { recursive: true, force: true });
  mkdirSync(report, { recursive: true });
  const all = jobs(settings);
  const waiting = [...all];
  const stop = (): void => void waiting.splice(0); // what is under way is still cleared away
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const setting = await prepare(process.env.DATABASE_URL);
  const rows: Row[] = [];
  const lanes = Array.from({ length: settings.atOnce }, () => lane(setting, waiting, rows));
  await Promise.all(lanes).finally(setting.close);
  const tables = `${matrix(inAreas(rows))}\n${summary(rows)}`;
  writeFileSync(join(report, "matrix.json"), JSON.stringify(rows, null, 1));
  writeFileSync(join(report, "matrix.txt"), `${tables}\n`);
  console.log(`\n${tables}, in ${((performance.now() - begun) / 1000).toFixed(0)} s; ${report} holds what each run said`);
  return rows.length === all.length && rows.every(isGood);
}

/** The unbroken server first: it takes longest, as it must pass what any of them must fail. */
function jobs({ names, full, ...how }: Settings): Job[] {
  const chosen = Object.entries(mutants).filter(([name]) => names.length === 0 || names.includes(name));
  const families = ({ killedBy }: Mutant): string[] => (full ? [] : [...new Set(killedBy.map(([family]) => family))]);
  const broken = chosen.map(([name, mutant]) => ({ name, mutant, families: families(mutant), ...how }));
  return [{ name: "unbroken", mutant: null, families: [...new Set(broken.flatMap((job) => job.families))], ...how }, ...broken];
}

async function lane(setting: Setting, waiting: Job[], rows: Row[]): Promise<void> {
  const copy = await copyServer();
  try {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const row = await tried(setting, copy, job);
      rows.push(row);
      console.log(line(row));
    }
  } finally {
    await copy.remove();
  }
}

async function tried(setting: Setting, copy: Copy, { name, mutant, families, seed, report }: Job): Promise<Row> {
  const begun = performance.now();
  const trial = { mutant, families, depth: depthFor(families), seed, report: join(report, name) };
  const finding = await tryOut(setting, copy, trial).catch(notStarted);
  const judgement = mutant ? judge(mutant.killedBy, finding) : judgeUnbroken(finding);
  return { name, broken: mutant?.broken ?? "nothing", ...judgement, milliseconds: performance.now() - begun };
}

/** It does not start, or its edit does not fit any more. */
const notStarted = (error: Error): Finding => ({ verdict: "not measurable", reason: error.message, rules: [], errors: [] });

/** Rules of the interface and derived ones are all run at either depth, on fewer values. */
const depthFor = (families: readonly string[]): Depth =>
  families.length > 0 && families.every((family) => /^(interface|derived)\//.test(family)) ? "quick" : "full";

function inAreas(rows: readonly Row[]): Map<string, Row[]> {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const found = [...areas].map(([area, names]) => [area, names.flatMap((name) => byName.get(name) ?? [])] as const);
  return new Map(found.filter(([, theirs]) => theirs.length > 0));
}
