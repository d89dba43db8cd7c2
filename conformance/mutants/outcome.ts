// Judges the result of a run against a mutant.

import type { Rule } from "../report/run.ts";
import type { Killer } from "./mutant.ts";
import type { Finding } from "./suite.ts";

export type Judgement = {
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

/** Judges a mutant by the suite's result. */
export function judge(killedBy: readonly Killer[], finding: Finding): Judgement {
  const failed = finding.rules.filter(({ state }) => state === "failed");
  const seen = { failed: namesOf(failed), run: countsOf(finding.rules) };
  if (finding.verdict === "not measurable")
    return { outcome: "not measurable", faults: [finding.reason ?? "the suite gave no reason"], ...seen };
  const missing = killedBy.filter(([family, title]) => !failed.some((rule) => rule.family === family && title.test(rule.title)));
  const faults = [...missing.map(([family, title]) => `${family} did not fail: ${title}`), ...suiteFaults(failed), ...finding.errors];
  return { outcome: outcomeOf(failed.length, faults.length, finding.errors.length), faults, ...seen };
}

/** When no rule failed but an error occurred outside of the rules, some rules were not run, so the mutant was not measured. */
function outcomeOf(failed: number, faults: number, errors: number): Judgement["outcome"] {
  if (failed === 0) return errors > 0 ? "not measurable" : "survived";
  return faults > 0 ? "missed" : "killed";
}

/** Judges the unchanged server: no rule may fail. */
export function judgeUnbroken({ verdict, reason, rules, errors }: Finding): Judgement {
  const failed = rules.filter(({ state }) => state === "failed");
  const faults = [
    ...failed.map(({ family, title }) => `${family} fails without a mutant: ${title}`),
    ...errors,
    ...(reason ? [reason] : []),
  ];
  return { outcome: verdict === "passed" ? "sound" : "unsound", faults, failed: namesOf(failed), run: countsOf(rules) };
}

export type JudgementOfSeeds = Judgement & {
  /** With how many seeds of how many the outcome is as it must be. */
  seeds: { good: number; of: number };
};

/** Joins the judgements of a mutant, one for each seed: the first that is not as it must be decides. */
export function judgeSeeds(seeds: readonly string[], judgements: readonly Judgement[]): JudgementOfSeeds {
  const [first] = judgements;
  if (!first) throw new Error("a mutant needs a seed");
  const bad = judgements.find((one) => !isGood(one));
  const faults = judgements.flatMap((one, index) =>
    one.faults.map((fault) => (seeds.length > 1 ? `seed ${seeds[index]}: ${fault}` : fault)),
  );
  return { ...(bad ?? first), faults, seeds: { good: judgements.filter(isGood).length, of: seeds.length } };
}

export const isGood = ({ outcome }: Pick<Judgement, "outcome">): boolean => outcome === "killed" || outcome === "sound";

const namesOf = (rules: readonly Rule[]): Judgement["failed"] => rules.map(({ family, title }) => ({ family, title }));

const suiteFaults = (failed: readonly Rule[]): string[] =>
  failed
    .filter(({ failure }) => failure?.message.includes("bug of the suite"))
    .map(({ title }) => `the suite reports a bug of its own in: ${title}`);

function countsOf(rules: readonly Rule[]): Record<string, number> {
  const ran = rules.filter(({ state }) => state !== "not run");
  return Object.fromEntries([...Map.groupBy(ran, ({ family }) => family)].map(([family, theirs]) => [family, theirs.length]));
}
