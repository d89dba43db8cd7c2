// A run with known failures (--baseline): they are marked while it goes on, and the file is verified at its end.

import { familyOf } from "../contract/offline-rules.ts";
import { nameOf } from "../report/failure-digest.ts";
import type { Listener } from "../report/reporter.ts";
import type { Run } from "../report/run.ts";
import { type Baseline, baselineFaults, baselineRemarks, markKnown, type Names, updateBaseline } from "./baseline.ts";
import { print } from "./print.ts";
import { selectRules } from "./rule-files.ts";
import type { Settings } from "./settings.ts";

const today = (): string => new Date().toISOString().slice(0, 10);

/** A baseline in a run. `verify` returns what is wrong with the file; with `--baseline-update` it writes the file instead. */
export type BaselineRun = { listeners: Partial<Listener>[]; verify: (result: Run) => string[] };

/** Without a baseline nothing is marked and nothing is verified. */
export function baselineRun(baseline: Baseline | null, settings: Settings): BaselineRun {
  if (!baseline) return { listeners: [], verify: () => [] };
  const titles = new Map<string, Set<string>>();
  const listener: Partial<Listener> = {
    collected: (family, names) => void titles.set(family, new Set(names.map((title) => nameOf({ family, title })))),
    rule: (rule) => markKnown(baseline, rule, today()),
  };
  const names = () => ({ families: familiesOfProfile(settings), titles });
  const verify = (result: Run): string[] => {
    if (result.verdict === "not measurable") return [];
    return baseline.update ? update(baseline, result, names()) : check(baseline, result, names());
  };
  return { listeners: [listener], verify };
}

function check(baseline: Baseline, result: Run, names: Names): string[] {
  const remarks = baselineRemarks(baseline, result, today()).map((text) => `baseline: ${text}`);
  result.notes.push(...remarks);
  remarks.forEach(print);
  return baselineFaults(baseline, result, names);
}

/** Writes the failures of the run into the file; they are known then. */
function update(baseline: Baseline, result: Run, names: Names): string[] {
  const known = updateBaseline(baseline, result, names, today());
  for (const rule of result.rules) markKnown({ known }, rule, today());
  if (result.errors.length === 0) result.verdict = "passed";
  print(`${baseline.file} names ${known.length} known failures`);
  return [];
}

const familiesOfProfile = ({ profile }: Settings): Set<string> =>
  new Set(selectRules({ profile, depth: "full", only: null }).files.map(familyOf));
