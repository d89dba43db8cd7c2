import { headlineOf, type Outcome, share } from "./headline.ts";
import { countsOf, type Run } from "./run.ts";

// badge.json: the endpoint schema of shields.io.

const colours: Record<Outcome, string> = { passed: "brightgreen", incomplete: "lightgrey", failed: "red", "not measurable": "lightgrey" };

/** Green only where every required rule of the profile was run and none failed; grey where a required one was not run. */
export function badgeOf(run: Run): string {
  const { outcome } = headlineOf(run);
  const partial = outcome === "passed" && (run.only !== null || run.leftOut.length > 0);
  const shown = partial ? "incomplete" : outcome;
  const label = run.profile === "contract" ? "conformance" : `conformance (${run.profile})`;
  const badge = { schemaVersion: 1, label, message: messageOf(run, shown), color: colours[shown], isError: outcome === "failed" };
  return `${JSON.stringify(badge)}\n`;
}

function messageOf({ rules, only, depth }: Run, outcome: Outcome): string {
  const { rules: all, passed, failed, notRun } = countsOf(rules);
  if (outcome === "failed") return failed > 0 ? `${failed} of ${all} rules failed` : "failed";
  if (outcome === "not measurable") return outcome;
  if (outcome === "passed") return `${passed} rules passed${depth === "full" ? "" : `, ${depth}`}`;
  return notRun > 0 ? `incomplete: ${share(notRun, all)} not run` : `incomplete: ${only === null ? depth : "a selection"}`;
}
