// What is to be run: each mutant with its rules and seeds, and which of them share a server.

import { join } from "node:path";
import type { Depth } from "../../suite/values/run-settings.ts";
import type { Killer, Mutant } from "./mutant.ts";
import { type Foreign, type Selection, type SuiteRun, selectionOf } from "./suite.ts";
import { mutants } from "./table.ts";

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
