// Plans a run against a server that limits the request rate (how many rules and values are tried, and how fast), and a quick run.

import { secondsOf } from "../client/send-once.ts";
import type { Reply } from "../contract/http-request.ts";
import { familyOf } from "../contract/offline-rules.ts";
import { plural } from "../report/format.ts";
import { type Depth, kindOf, type Sample, sampleOfRun, samples } from "../values/run-settings.ts";
import type { TimeSlot } from "../values/target.ts";
import { inOrder, measuredRequestsOf, measuredTimeOf } from "./measured.ts";
import type { Settings } from "./settings.ts";

/** `sample` is the share of rules and values, `pace` the requests per second (null: unlimited), `notes` explain both. */
type Plan = { sample: Sample; pace: number | null; notes: string[] };

/** Longest quick run that no `--seconds` ends, because its seed repeats one: its sample is chosen for this time. */
const quickMinutes = 1;
const maxBindingRate = 50; // requests per second; a higher limit does not slow the suite down

/**
 * Plans a full run, or a sample that fits into `minutes` at the rate that the server allows; a quick run leaves out by itself what does not
 * fit into its `seconds`. `shares`: the families that are run, each with the share of its rules that is selected.
 */
export function planOf(
  { depth, only, minutes, seconds }: Pick<Settings, "depth" | "only" | "minutes" | "seconds">,
  limit: RateLimit | null,
  shares: ReadonlyMap<string, number>,
): Plan {
  const wanted = sampleOfRun({ depth, only });
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

// Reads the server's rate limit from its answers.

/** `requests` allowed per `seconds`. `announced`: the server named the limit, it was not guessed from a 429. */
type RateLimit = { requests: number; seconds: number; announced: boolean };

const defaultWindowSeconds = 60;

/** Returns the strictest limit found in the answers; null when there is none. */
export function limitOf(replies: readonly Reply[]): RateLimit | null {
  const limits = replies.flatMap((reply) => [...policyLimits(reply), ...headerLimits(reply), ...limitsOf429(reply)]);
  const announcedLimits = limits.filter(({ announced: said }) => said);
  const [strictest = null] = (announcedLimits.length > 0 ? announcedLimits : limits).toSorted((a, b) => rateOf(a) - rateOf(b));
  return strictest;
}

const rateOf = ({ requests, seconds }: RateLimit): number => requests / seconds;

/** Reads `RateLimit-Policy: "burst";q=100;w=60` (draft-ietf-httpapi-ratelimit-headers), and `100;w=60` of older drafts. */
function policyLimits({ headers }: Reply): RateLimit[] {
  const items = String(headers["ratelimit-policy"] ?? "").split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  return items.flatMap((item) => {
    const requests = toNumber(/;\s*q=(\d+)/i.exec(item)?.[1] ?? /^\s*(\d+)\s*(?:;|$)/.exec(item)?.[1]);
    return requests ? [{ requests, seconds: toNumber(/;\s*w=(\d+)/i.exec(item)?.[1]) ?? defaultWindowSeconds, announced: true }] : [];
  });
}

/** Reads `RateLimit-Limit` and `X-RateLimit-Limit`, which do not name their window, and `RateLimit: "default";r=50;t=30`. */
function headerLimits({ headers }: Reply): RateLimit[] {
  if (headers["ratelimit-policy"]) return [];
  const requests = toNumber(/^\s*(\d+)/.exec(String(headers["ratelimit-limit"] ?? headers["x-ratelimit-limit"] ?? ""))?.[1]);
  if (requests) return [{ requests, seconds: defaultWindowSeconds, announced: true }];
  const remaining = /;\s*r=(\d+)\s*;\s*t=(\d+)/i.exec(String(headers.ratelimit ?? ""));
  return remaining ? [{ requests: Math.max(1, Number(remaining[1])), seconds: Math.max(1, Number(remaining[2])), announced: true }] : [];
}

/** Assumes, from a 429 without a policy, one request per `Retry-After`, or one per second. */
const limitsOf429 = ({ status, headers }: Reply): RateLimit[] =>
  status === 429 ? [{ requests: 1, seconds: Math.max(1, secondsOf(headers["retry-after"]) ?? 1), announced: false }] : [];

const toNumber = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits) || undefined);

// Divides the time of a quick run among its rule files.

/** What every rule file gets at least, however late the rules start. */
const minimumMs = 5000;

/** Counted beside the measured time of a rule file, so that the shortest ones run a few rules on a slow machine, too. */
const loadingMs = 500;

/** The time of a run, instants in ms since 1970. `isPaced`: the server limits the rate of requests, so that files get no time after it. */
type RunTime = { startsAt: number; endsAt: number; isPaced: boolean };

/**
 * Divides the time of a quick run among its rule files in proportion to their measured times, half of it among those of the interface document:
 * on a slow machine every file runs fewer rules, instead of the last files none.
 */
export function slotsOf(files: readonly string[], { startsAt, endsAt, isPaced }: RunTime): Record<string, TimeSlot> {
  const measured = (file: string): number => measuredTimeOf(familyOf(file)) + loadingMs;
  const sumOf = (some: readonly string[]): number => some.reduce((sum, file) => sum + measured(file), 0);
  const isOfInterface = (file: string): boolean => file.startsWith("interface/");
  const [ofInterface, others] = [sumOf(files.filter(isOfInterface)), sumOf(files.filter((file) => !isOfInterface(file)))];
  const factor = ofInterface > 0 ? Math.max(1, others / ofInterface) : 1;
  const weightOf = (file: string): number => measured(file) * (isOfInterface(file) ? factor : 1);
  const total = ofInterface * factor + others;
  const available = Math.max(minimumMs, endsAt - startsAt);
  let used = 0;
  return Object.fromEntries(
    inOrder(files.map((file) => `/${file}`)).map((path) => {
      const file = path.slice(1);
      used += weightOf(file);
      const slot = {
        endsAt: startsAt + (available * used) / total,
        duration: (available * weightOf(file)) / total,
        latest: startsAt + (isPaced ? 1 : 2) * available,
      };
      return [file, slot];
    }),
  );
}
