// Known failures: printed, but no reason for the run to fail.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { familyOf } from "../contract/offline-rules.ts";
import type { Listener } from "../report/reporter.ts";
import { digestOfFailure, kindOf, nameOf, type Rule, type Run } from "../report/run.ts";
import { print } from "../report/terminal.ts";
import { selectRules } from "./rule-files.ts";
import type { Settings } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

/** A failure that is known. */
export type KnownFailure = {
  /** Rule file and title: `interface/amount > amount of 0 is refused`. */
  rule: string;
  /** Digest of the failure, as the run prints it. */
  digest: string;
  /** Why it is accepted for now. */
  reason: string;
  /** Last day on which it is known: YYYY-MM-DD. */
  expires: string;
};

type Baseline = { file: string; update: boolean; known: KnownFailure[] };

/** What `--baseline-update` writes for a failure that is new. */
const newFailure = { reason: "not examined yet", days: 30 };
const dayMs = 86_400_000;

/** Reads the file; with `update` it need not exist. Throws UsageError where an entry is wrong. */
export function readBaseline(file: string, update: boolean): Baseline {
  if (!existsSync(file)) {
    if (update) return { file, update, known: [] };
    throw new UsageError(`--baseline: ${file} does not exist (--baseline-update writes it)`);
  }
  let entries: unknown;
  try {
    entries = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--baseline: ${file} is not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(entries)) throw new UsageError(`--baseline: ${file} must be a list of known failures`);
  return { file, update, known: entries.map((entry, index) => checked(entry, `--baseline: ${file}, entry ${index + 1}`)) };
}

const formats: Record<keyof KnownFailure, [RegExp, string]> = {
  rule: [/^\S+ > ./s, "a rule file and a title with ' > ' between them"],
  digest: [/^[0-9a-f]{16}$/, "16 hexadecimal digits"],
  reason: [/\S/, "a text that says why the failure is known"],
  expires: [/^\d{4}-\d\d-\d\d$/, "a date such as 2027-01-31"],
};

function checked(entry: unknown, where: string): KnownFailure {
  const members = (typeof entry === "object" && entry !== null ? entry : {}) as Record<string, unknown>;
  for (const [name, [format, words]] of Object.entries(formats)) {
    const value = members[name];
    if (typeof value !== "string" || !format.test(value)) throw new UsageError(`${where}: ${name} must be ${words}`);
  }
  const unknown = Object.keys(members).find((name) => !(name in formats));
  if (unknown !== undefined) throw new UsageError(`${where}: ${unknown} is not a member of a known failure`);
  const { rule, digest, reason, expires } = members as KnownFailure;
  if (new Date(`${expires}T00:00:00Z`).toISOString().slice(0, 10) !== expires)
    throw new UsageError(`${where}: expires must be a day that exists`);
  return { rule, digest, reason, expires };
}

/** Marks the rule as known where an entry names its failure and has not expired. */
function markKnown({ known }: Pick<Baseline, "known">, rule: Rule, today: string): void {
  const entry =
    rule.state === "failed" ? known.find((one) => one.rule === nameOf(rule) && one.digest === digestOfFailure(rule)) : undefined;
  if (entry && entry.expires >= today) rule.known = { reason: entry.reason, expires: entry.expires };
}

/** What is wrong with the entries after a run. `titles`: every rule of each rule file that was read, run or not. */
function baselineFaults({ known }: Pick<Baseline, "known">, { rules }: Pick<Run, "rules">, { titles, families }: Names): string[] {
  const byName = new Map(rules.map((rule) => [nameOf(rule), rule]));
  return known.flatMap((entry) => {
    const [family = ""] = entry.rule.split(" > ", 1);
    const present = byName.get(entry.rule);
    const gone = !families.has(family) || (titles.has(family) && !titles.get(family)?.has(entry.rule));
    if (gone) return [`baseline: there is no rule "${entry.rule}": remove the entry`];
    if (present?.state === "passed" && present.leftOut === 0) return [`baseline: "${entry.rule}" passes now: fixed, remove the entry`];
    return [];
  });
}

/** Rule files of the suite, and the names of all rules in those that were read. */
type Names = { families: ReadonlySet<string>; titles: ReadonlyMap<string, ReadonlySet<string>> };

/** In words: expired entries, and failures other than the known one of their rule. */
function baselineRemarks({ known }: Pick<Baseline, "known">, { rules }: Pick<Run, "rules">, today: string): string[] {
  return rules.flatMap((rule) => {
    const entries = rule.state === "failed" && !rule.known ? known.filter((entry) => entry.rule === nameOf(rule)) : [];
    const expired = entries.find(({ digest, expires }) => digest === digestOfFailure(rule) && expires < today);
    if (expired) return [`"${expired.rule}" was known until ${expired.expires} (${expired.reason})`];
    return entries.length > 0
      ? [`"${nameOf(rule)}" fails in another way than the known one: ${kindOf(rule)} (${digestOfFailure(rule)})`]
      : [];
  });
}

/** Writes every failure of the run into the file; entries of rules that were not run stay. */
function updateBaseline({ file, known }: Baseline, { rules }: Pick<Run, "rules">, names: Names, today: string): KnownFailure[] {
  const failed = rules.filter(({ state }) => state === "failed");
  const faulty = new Set(known.filter((entry) => baselineFaults({ known: [entry] }, { rules }, names).length > 0));
  const ran = new Set(failed.map(nameOf));
  const kept = known.filter((entry) => !faulty.has(entry) && !ran.has(entry.rule));
  const present = failed.map((rule): KnownFailure => {
    const digest = digestOfFailure(rule);
    const before = known.find((entry) => entry.rule === nameOf(rule) && entry.digest === digest && entry.expires >= today);
    return before ?? { rule: nameOf(rule), digest, reason: newFailure.reason, expires: dayAfter(today, newFailure.days) };
  });
  const entries = [...kept, ...present].toSorted((a, b) => (a.rule < b.rule ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(entries, null, 2)}\n`);
  return entries;
}

const dayAfter = (day: string, days: number): string => new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

// A run with known failures (--baseline): they are marked while it goes on, and the file is verified at its end.

const today = (): string => new Date().toISOString().slice(0, 10);

/** A baseline in a run. `verify` returns what is wrong with the file; with `--baseline-update` it writes the file instead. */
type BaselineRun = { listeners: Partial<Listener>[]; verify: (result: Run) => string[] };

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
