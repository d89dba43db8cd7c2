// badge.json: the endpoint schema of shields.io.

import { plural } from "./format.ts";
import { isPartial, share, type Tone, toneOf } from "./headline.ts";
import { countsOf, type Run } from "./run.ts";

const colours: Record<Tone, string> = {
  passed: "brightgreen",
  known: "yellow",
  incomplete: "lightgrey",
  failed: "red",
  "not measurable": "lightgrey",
};

/**
 * Green only where every required rule of the profile was run and none failed; yellow with known failures; grey where one was not run,
 * as in a selection or a shard.
 */
export function badgeOf(run: Run): string {
  const tone = toneOf(run);
  const partial = (tone === "passed" || tone === "known") && isPartial({ ...run, filesLeftOut: run.leftOut.length });
  const shown = partial ? "incomplete" : tone;
  const label = run.profile === "contract" ? "conformance" : `conformance (${run.profile})`;
  const badge = { schemaVersion: 1, label, message: messageOf(run, shown), color: colours[shown], isError: tone === "failed" };
  return `${JSON.stringify(badge)}\n`;
}

function messageOf({ rules, only, changedSince, shard, depth }: Run, tone: Tone): string {
  const { rules: all, passed, notAsked, failed, known, notRun } = countsOf(rules);
  if (tone === "failed") return failed > 0 ? `${failed} of ${all} rules failed` : "failed";
  if (tone === "not measurable") return tone;
  const accepted = known > 0 ? `, ${plural(known, "known failure")}` : "";
  if (tone !== "incomplete") return `${passed} rules passed${accepted}${depth === "full" ? "" : `, ${depth}`}`;
  if (shard !== null) return `incomplete: shard ${shard.index} of ${shard.count}`;
  return notRun > 0
    ? `incomplete: ${share(notRun, all - notAsked)} not run`
    : `incomplete: ${only === null && changedSince === null ? depth : "a selection"}`;
}
