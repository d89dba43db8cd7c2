import type { Rule } from "../report/run.ts";
import type { Killer } from "./mutant.ts";
import type { Finding } from "./suite.ts";

export type Judgement = {
  /** `killed`: by each rule that must; `missed`: by others alone, or not by each. `sound`: the unbroken server has passed. */
  outcome: "killed" | "missed" | "survived" | "not measurable" | "sound" | "unsound";
  /** Why it is not as it should be. */
  faults: string[];
  /** The rules that failed. */
  failed: Pick<Rule, "family" | "title">[];
  /** How many rules of each file were run. */
  run: Record<string, number>;
};

/** What the suite's finding says of a mutant. */
export function judge(killedBy: readonly Killer[], finding: Finding): Judgement {
  const failed = finding.rules.filter(({ state }) => state === "failed");
  const seen = { failed: namesOf(failed), run: countsOf(finding.rules) };
  if (finding.verdict === "not measurable") return { outcome: "not measurable", faults: [finding.reason ?? "no reason told"], ...seen };
  const missing = killedBy.filter(([family, title]) => !failed.some((rule) => rule.family === family && title.test(rule.title)));
  const faults = [...missing.map(([family, title]) => `${family} does not notice: ${title}`), ...suiteFaults(failed), ...finding.errors];
  return { outcome: outcomeOf(failed.length, faults.length, finding.errors.length), faults, ...seen };
}

/** Where something went wrong outside of the rules, some of them were not run. */
function outcomeOf(failed: number, faults: number, errors: number): Judgement["outcome"] {
  if (failed === 0) return errors > 0 ? "not measurable" : "survived";
  return faults > 0 ? "missed" : "killed";
}

/** The same for the server as it is: nothing may fail. */
export function judgeUnbroken({ verdict, reason, rules, errors }: Finding): Judgement {
  const failed = rules.filter(({ state }) => state === "failed");
  const faults = [
    ...failed.map(({ family, title }) => `${family} fails without a mutant: ${title}`),
    ...errors,
    ...(reason ? [reason] : []),
  ];
  return { outcome: verdict === "passed" ? "sound" : "unsound", faults, failed: namesOf(failed), run: countsOf(rules) };
}

const namesOf = (rules: readonly Rule[]): Judgement["failed"] => rules.map(({ family, title }) => ({ family, title }));

const suiteFaults = (failed: readonly Rule[]): string[] =>
  failed.filter(({ failure }) => failure?.message.includes("bug of the suite")).map(({ title }) => `the suite blames itself in: ${title}`);

function countsOf(rules: readonly Rule[]): Record<string, number> {
  const ran = rules.filter(({ state }) => state !== "not run");
  return Object.fromEntries([...Map.groupBy(ran, ({ family }) => family)].map(([family, theirs]) => [family, theirs.length]));
}
