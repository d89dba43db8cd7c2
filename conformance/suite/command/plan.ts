// Plans a run against a server that limits the request rate: how many rules and values are tried, and how fast.

import { plural } from "../report/format.ts";
import { type Depth, kindOf, type Sample, samples } from "../values/sample.ts";
import { type RateLimit, rateOf } from "./announced-limits.ts";
import { measuredRequestsOf } from "./measured.ts";
import type { Settings } from "./settings.ts";

/** `sample` is the share of rules and values, `pace` the requests per second (null: unlimited), `notes` explain both. */
export type Plan = { sample: Sample; pace: number | null; notes: string[] };

/** Longest quick run that no `--seconds` ends, because its seed repeats one: its sample is chosen for this time. */
const quickMinutes = 1;
const maxBindingRate = 50; // requests per second; a higher limit does not slow the suite down

/**
 * Plans a full run, or a sample that fits into `minutes` at the rate that the server allows; a quick run leaves out by itself what does not
 * fit into its `seconds`. `shares`: the families that are run, each with the share of its rules that is selected.
 */
export function planOf(
  { depth, minutes, seconds }: Pick<Settings, "depth" | "minutes" | "seconds">,
  limit: RateLimit | null,
  shares: ReadonlyMap<string, number>,
): Plan {
  const wanted = samples[depth];
  if (!limit || rateOf(limit) >= maxBindingRate) return { sample: wanted, pace: null, notes: [] };
  const pace = rateOf(limit) * 0.95; // a margin for clocks that differ
  const requests = (values: Depth | "fewest"): number => requestsOf(shares, wanted, values);
  const [needed, fewest, full] = [requests(depth), requests("fewest"), requests("full")];
  const isShort = depth === "quick" && seconds === null && minutes > quickMinutes;
  const budget = Math.min(needed, Math.floor(pace * (isShort ? quickMinutes : minutes) * 60));
  const rules = Math.min(1, budget / (fewest * 1.1));
  const sample = {
    rules,
    particular: Math.min(rules, wanted.particular),
    values: Math.max(0.001, (budget - fewest) / (full - fewest)),
    fewest: samples.quick.fewest,
  };
  const isEndedBySeconds = seconds !== null && seconds < budget / pace;
  return {
    sample: isEndedBySeconds || budget === needed ? wanted : sample,
    pace,
    notes: notesOf(limit, {
      ...{ budget, needed, pace, sample },
      endsAfter: isEndedBySeconds ? seconds : null,
      more: isShort ? "--depth standard" : "--minutes",
    }),
  };
}

/** The requests that the sampled rules of these families send where they try so many values. */
function requestsOf(shares: ReadonlyMap<string, number>, sample: Sample, values: Depth | "fewest"): number {
  const counts = [...shares].map(([family, share]) => share * sample[kindOf(family)] * measuredRequestsOf(family)[values]);
  return Math.round(counts.reduce((sum, count) => sum + count, 0));
}

/** What a run can send. `endsAfter`: seconds after which a quick run ends that would need longer. */
type Budget = {
  budget: number;
  needed: number;
  pace: number;
  sample: Sample;
  endsAfter: number | null;
  /** The option that allows more time. */
  more: string;
};

function notesOf({ requests, seconds, announced }: RateLimit, { budget, needed, pace, sample, endsAfter, more }: Budget): string[] {
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
      `this run tries a sample: ${formatShare(sample.rules)} of the rules, ${formatShare(sample.values)} of their values (${more} allows more time)`,
    );
  return lines;
}

/** "all", "64 %" or "one in 21". */
const formatShare = (part: number): string =>
  part >= 1 ? "all" : part > 0.1 ? `${Math.floor(part * 100)} %` : `one in ${Math.round(1 / part)}`;

const formatDuration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 360) / 10} h`;
