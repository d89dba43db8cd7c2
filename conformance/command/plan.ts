import { type Sample, samples } from "../harness/generators/sample.ts";
import { type Limit, rateOf } from "./limits.ts";
import type { Settings } from "./options.ts";

/** How much of the suite is run, and how fast. */
export type Plan = { sample: Sample; pace: number | null; words: string[] };

/** Requests of a full run against our server, rounded: what every rule sends at least, and what its values add. */
const costs = { interface: { least: 800, values: 20_500 }, contract: { least: 6500, values: 46_500 } };

const most = 50; // requests a second: above this a limit does not bind the suite

/** Everything, or what fits into the time where the server limits the rate. */
export function planOf({ profile, depth, minutes }: Pick<Settings, "profile" | "depth" | "minutes">, limit: Limit | null): Plan {
  const wanted = samples[depth];
  if (!limit || rateOf(limit) >= most) return { sample: wanted, pace: null, words: [] };
  const pace = rateOf(limit) * 0.95; // clocks differ
  const { least, values } = costs[profile];
  const needed = least + values * wanted.values;
  const budget = Math.min(needed, Math.floor(pace * minutes * 60));
  const rules = Math.min(1, budget / (least * 1.1));
  const sample = {
    rules,
    particular: Math.min(rules, wanted.particular),
    values: Math.max(0.001, Math.min(wanted.values, (budget - least) / values)),
  };
  return { sample: budget === needed ? wanted : sample, pace, words: words(limit, budget, needed, pace, sample) };
}

function words({ requests, seconds, said }: Limit, budget: number, needed: number, pace: number, sample: Sample): string[] {
  const count = (value: number): string => Math.round(value).toLocaleString("en");
  const lines = [
    `the server ${said ? "allows" : "seems to allow"} ${count(requests)} requests in ${count(seconds)} s`,
    `request budget: about ${count(budget)} of the ${count(needed)} that a run without limits sends; expected duration: ${duration(budget / pace)}`,
  ];
  if (budget < needed)
    lines.push(
      `so a sample is tried: ${share(sample.rules)} of the rules, ${share(sample.values)} of their values (--minutes gives it more time)`,
    );
  return lines;
}

const share = (part: number): string => (part >= 1 ? "all" : `one in ${Math.round(1 / part)}`);

const duration = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 360) / 10} h`;
