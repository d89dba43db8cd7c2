// Evaluates the result of a run against a mutant, and formats the kill matrix: how many rules of each file failed for each mutant.

import type { Rule } from "../../suite/report/run.ts";
import type { Killer } from "./mutant.ts";
import type { Finding } from "./suite.ts";

export type Evaluation = {
  /**
   * `killed`: every rule that must fail has failed. `missed`: some rule failed, but not all that must. `survived`: no rule failed.
   * `sound`, `unsound`: the unchanged server passed, or did not.
   */
  outcome: "killed" | "missed" | "survived" | "not measurable" | "sound" | "unsound";
  /** Why the outcome is neither `killed` nor `sound`. */
  faults: string[];
  /** The rules that failed. */
  failed: Pick<Rule, "family" | "title">[];
  /** How many rules of each file were run. */
  run: Record<string, number>;
};

/** Evaluates a mutant by the suite's result. */
export function evaluate(killedBy: readonly Killer[], finding: Finding): Evaluation {
  const failed = finding.rules.filter(({ state }) => state === "failed");
  const seen = { failed: namesOf(failed), run: countsOf(finding.rules) };
  if (finding.verdict === "not measurable")
    return { outcome: "not measurable", faults: [...bugsOf(finding), finding.reason ?? "the suite gave no reason"], ...seen };
  if (finding.bugs.length > 0) return { outcome: "not measurable", faults: bugsOf(finding), ...seen };
  const missing = killedBy.filter((killer) => !failed.some(isMeant(killer)));
  const faults = [...missing.map((killer) => missingFault(killer, finding.rules)), ...suiteFaults(failed), ...finding.errors];
  return { outcome: outcomeOf(failed.length, faults.length, finding.errors.length), faults, ...seen };
}

const isMeant =
  ([family, title]: Killer) =>
  (rule: Rule): boolean =>
    rule.family === family && title.test(rule.title);

function missingFault(killer: Killer, rules: readonly Rule[]): string {
  const [family, title] = killer;
  const meant = rules.filter(isMeant(killer));
  if (meant.length === 0) return `${family} has no such rule: ${title}`;
  const [first] = meant;
  return meant.every(({ state }) => state === "not run")
    ? `${family} was not run: ${title}: ${first?.why}`
    : `${family} did not fail: ${title}`;
}

/** A wrong answer that throws closes the connection, which fails rules: they have not noticed what is meant. */
const bugsOf = ({ bugs }: Finding): string[] => bugs.map((bug) => `a bug of the wrong answer itself: ${bug}`);

/** When no rule failed but an error occurred outside of the rules, some rules were not run, so the mutant was not measured. */
function outcomeOf(failed: number, faults: number, errors: number): Evaluation["outcome"] {
  if (failed === 0) return errors > 0 ? "not measurable" : "survived";
  return faults > 0 ? "missed" : "killed";
}

/** Evaluates the unchanged server: no rule may fail. */
export function evaluateUnbroken({ verdict, reason, rules, errors }: Finding): Evaluation {
  const failed = rules.filter(({ state }) => state === "failed");
  const faults = [
    ...failed.map(({ family, title }) => `${family} fails without a mutant: ${title}`),
    ...errors,
    ...(reason ? [reason] : []),
  ];
  return { outcome: verdict === "passed" ? "sound" : "unsound", faults, failed: namesOf(failed), run: countsOf(rules) };
}

type EvaluationOfSeeds = Evaluation & {
  /** With how many seeds of how many the outcome is as it must be. */
  seeds: { good: number; of: number };
};

/** Joins the evaluations of a mutant, one for each seed: the first that is not as it must be decides. */
export function evaluateSeeds(seeds: readonly string[], evaluations: readonly Evaluation[]): EvaluationOfSeeds {
  const [first] = evaluations;
  if (!first) throw new Error("a mutant needs a seed");
  const bad = evaluations.find((one) => !isGood(one));
  const faults = evaluations.flatMap((one, index) =>
    one.faults.map((fault) => (seeds.length > 1 ? `seed ${seeds[index]}: ${fault}` : fault)),
  );
  return { ...(bad ?? first), faults, seeds: { good: evaluations.filter(isGood).length, of: seeds.length } };
}

export const isGood = ({ outcome }: Pick<Evaluation, "outcome">): boolean => outcome === "killed" || outcome === "sound";

const namesOf = (rules: readonly Rule[]): Evaluation["failed"] => rules.map(({ family, title }) => ({ family, title }));

const suiteFaults = (failed: readonly Rule[]): string[] =>
  failed
    .filter(({ failure }) => failure?.message.includes("bug of the suite"))
    .map(({ title }) => `the suite reports a bug of its own in: ${title}`);

function countsOf(rules: readonly Rule[]): Record<string, number> {
  const ran = rules.filter(({ state }) => state !== "not run");
  return Object.fromEntries([...Map.groupBy(ran, ({ family }) => family)].map(([family, theirs]) => [family, theirs.length]));
}

export type Row = EvaluationOfSeeds & { name: string; broken: string; milliseconds: number };

/** Formats the kill matrix, one area after the other: how many rules of each rule file failed; `·` when none of those run failed. */
export const matrix = (areas: ReadonlyMap<string, readonly Row[]>): string =>
  [...areas].map(([area, rows]) => `${area}\n${table(rows)}\n`).join("\n");

function table(rows: readonly Row[]): string {
  const families = [...new Set(rows.flatMap(({ run }) => Object.keys(run)))];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const heads = families.map((family, index) => `${" ".repeat(width)}  ${"│ ".repeat(index)}┌ ${family}`);
  const lines = rows.map((row) => `${row.name.padEnd(width)}  ${families.map((family) => cell(row, family)).join(" ")}  ${row.outcome}`);
  return [...heads, ...lines].join("\n");
}

function cell({ run, failed }: Row, family: string): string {
  if (!(family in run)) return " ";
  const count = failed.filter((rule) => rule.family === family).length;
  return count === 0 ? "·" : count > 9 ? "+" : String(count);
}

/** Formats the result of one mutant for the terminal. */
export function line({ name, broken, outcome, failed, faults, seeds, milliseconds }: Row): string {
  const [first] = failed;
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : "";
  const by = first ? `\n    ${first.family} > ${first.title}${more}` : "";
  const why = faults.map((fault) => `\n    ${fault}`).join("");
  const ofSeeds = seeds.of > 1 ? ` with ${seeds.good} seeds of ${seeds.of}` : "";
  return `${mark(outcome)} ${name}: ${broken} (${outcome}${ofSeeds}, ${(milliseconds / 1000).toFixed(1)} s)${by}${why}`;
}

/** Formats the last line. */
export function summary(rows: readonly Row[]): string {
  const mutants = rows.filter(({ outcome }) => outcome !== "sound" && outcome !== "unsound");
  const killed = mutants.filter(({ outcome }) => outcome === "killed");
  const rules = new Set(killed.flatMap(({ failed }) => failed.map(({ family, title }) => `${family} > ${title}`)));
  const files = new Set(killed.flatMap(({ failed }) => failed.map(({ family }) => family)));
  return `${mutants.length} mutants: ${killed.length} killed, by ${rules.size} rules of ${files.size} files`;
}

const mark = (outcome: Row["outcome"]): string => (isGood({ outcome }) ? "✓" : "✗");
