// Plans a run against a server that limits the request rate: how many rules and values are tried, and how fast.

import { type Sample, samples } from "../harness/generators/sample.ts";
import { plural } from "../report/format.ts";
import { type RateLimit, rateOf } from "./announced-limits.ts";
import type { Settings } from "./options.ts";

/** `sample` is the share of rules and values, `pace` the requests per second (null: unlimited), `notes` explain both. */
export type Plan = { sample: Sample; pace: number | null; notes: string[] };

/** Requests of a full run, measured and rounded: those of all rules with the fewest values, and how many the other values add. */
const requestCounts = { interface: { minimum: 2750, values: 18_700 }, contract: { minimum: 22_700, values: 41_500 } };

const maxBindingRate = 50; // requests per second; a higher limit does not slow the suite down

/**
 * Plans a full run, or a sample that fits into `minutes` at the rate that the server allows; a quick run leaves out by itself what does not
 * fit into its `seconds`. `share`: the part of the profile's rules that is run.
 */
export function planOf(
  { profile, depth, minutes, seconds }: Pick<Settings, "profile" | "depth" | "minutes" | "seconds">,
  limit: RateLimit | null,
  share: number,
): Plan {
  const wanted = samples[depth];
  if (!limit || rateOf(limit) >= maxBindingRate) return { sample: wanted, pace: null, notes: [] };
  const pace = rateOf(limit) * 0.95; // a margin for clocks that differ
  const [minimum, values] = [requestCounts[profile].minimum * share, requestCounts[profile].values * share];
  const needed = minimum + values * wanted.values;
  const budget = Math.min(needed, Math.floor(pace * minutes * 60));
  const rules = Math.min(1, budget / (minimum * 1.1));
  const sample = {
    rules,
    particular: Math.min(rules, wanted.particular),
    values: Math.max(0.001, Math.min(wanted.values, (budget - minimum) / values)),
    fewest: samples.quick.fewest,
  };
  const isEndedBySeconds = seconds !== null && seconds < budget / pace;
  return {
    sample: isEndedBySeconds || budget === needed ? wanted : sample,
    pace,
    notes: notesOf(limit, { budget, needed, pace, sample, endsAfter: isEndedBySeconds ? seconds : null }),
  };
}

/** `endsAfter`: seconds after which a quick run ends that would need longer. */
type Budget = { budget: number; needed: number; pace: number; sample: Sample; endsAfter: number | null };

function notesOf({ requests, seconds, announced }: RateLimit, { budget, needed, pace, sample, endsAfter }: Budget): string[] {
  const count = (value: number): string => Math.round(value).toLocaleString("en");
  const allowed = `the server ${announced ? "allows" : "seems to allow"} ${plural(Math.round(requests), "request")} in ${count(seconds)} s`;
  if (endsAfter !== null)
    return [
      allowed,
      `request budget: what it allows in ${count(endsAfter)} s, of the ${count(needed)} that a run without limits sends (--seconds allows more time)`,
    ];
  const lines = [
    allowed,
    `request budget: about ${count(budget)} of the ${count(needed)} that a run without limits sends; expected duration: ${formatDuration(budget / pace)}`,
  ];
  if (budget < needed)
    lines.push(
      `this run tries a sample: ${formatShare(sample.rules)} of the rules, ${formatShare(sample.values)} of their values (--minutes allows more time)`,
    );
  return lines;
}

/** "all", "64 %" or "one in 21". */
const formatShare = (part: number): string =>
  part >= 1 ? "all" : part > 0.1 ? `${Math.floor(part * 100)} %` : `one in ${Math.round(1 / part)}`;

const formatDuration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 360) / 10} h`;
