import { appendFileSync, writeFileSync } from "node:fs";

import { type Digest, digestsOf } from "./digest.ts";
import type { Listener } from "./reporter.ts";
import { type Counts, countsOf, type Rule, type Run, type Verdict } from "./run.ts";

// events.ndjson: one JSON object per line, written while the run goes on. Every other report is made from these events alone.

type Start = Pick<Run, "server" | "implementation" | "mutant" | "versions" | "profile" | "depth" | "lengthUnit" | "only" | "seed"> & {
  event: "start";
  /** ISO 8601 in UTC. */
  startedAt: string;
};

type End = Pick<Run, "verdict" | "reason" | "milliseconds" | "notes"> & {
  event: "end";
  filesLeftOut: Run["leftOut"];
  counts: Counts;
  digests: Digest[];
};

export type Event = Start | ({ event: "rule" } & Rule) | { event: "error"; message: string } | End;

/** `written`: the events so far. */
export type Events = Pick<Listener, "rule" | "error"> & { start: (run: Run) => void; end: (run: Run) => void; written: readonly Event[] };

export function openEvents(file: string): Events {
  writeFileSync(file, "");
  const written: Event[] = [];
  const write = (event: Event): void => {
    written.push(event);
    appendFileSync(file, `${JSON.stringify(event)}\n`);
  };
  return {
    written,
    start: (run) => write(startOf(run)),
    rule: (rule) => write({ event: "rule", ...rule }),
    error: (message) => write({ event: "error", message }),
    end: (run) => {
      if (!written.some(({ event }) => event === "start")) write(startOf(run)); // the server did not start
      write(endOf(run));
    },
  };
}

function startOf({ server, implementation, mutant, versions, profile, depth, lengthUnit, only, seed, startedAt }: Run): Start {
  return {
    event: "start",
    server,
    implementation,
    mutant,
    versions,
    profile,
    depth,
    lengthUnit,
    only,
    seed,
    startedAt: startedAt.toISOString(),
  };
}

const endOf = ({ verdict, reason, milliseconds, notes, leftOut, rules }: Run): End => ({
  event: "end",
  verdict,
  reason,
  milliseconds,
  notes,
  filesLeftOut: leftOut,
  counts: countsOf(rules),
  digests: digestsOf(rules),
});

/** Parses events.ndjson. */
export const parseEvents = (text: string): Event[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);

/** The worst verdict is that of several parts of a run. */
const verdicts: readonly Verdict[] = ["passed", "not measurable", "failed"];

/**
 * Returns the run that the events describe. Events of several parts of one run (shards), one after the other, are one run: the
 * rules of all, the duration of the longest, the worst verdict. Throws when the events have no start, or parts differ in their settings.
 */
export function runOf(events: readonly Event[]): Run {
  const starts = events.filter((one) => one.event === "start");
  const [first] = starts;
  if (!first) throw new Error("the events have no start");
  for (const setting of ["profile", "depth", "lengthUnit", "seed", "only"] as const)
    if (starts.some((one) => one[setting] !== first[setting])) throw new Error(`the parts of the run differ in their ${setting}`);
  const ends = events.filter((one) => one.event === "end");
  const verdict = ends.length < starts.length ? "not measurable" : worst(ends);
  const { event: _, startedAt, ...settings } = first;
  return {
    ...settings,
    startedAt: new Date(startedAt),
    verdict,
    reason: reasonOf(ends, starts),
    milliseconds: Math.max(0, ...ends.map(({ milliseconds }) => milliseconds)),
    notes: [...new Set(ends.flatMap(({ notes }) => notes))],
    rules: events.filter((one) => one.event === "rule").map(({ event, ...rule }) => rule),
    leftOut: [...new Map(ends.flatMap(({ filesLeftOut }) => filesLeftOut).map((one) => [one.family, one])).values()],
    errors: events.filter((one) => one.event === "error").map(({ message }) => message),
  };
}

const worst = (ends: readonly End[]): Verdict =>
  ends.map(({ verdict }) => verdict).reduce((a, b) => (verdicts.indexOf(b) > verdicts.indexOf(a) ? b : a), "passed");

function reasonOf(ends: readonly End[], starts: readonly Start[]): Run["reason"] {
  if (ends.length < starts.length) return { text: "the run ended without a result", curl: null };
  return ends.find(({ reason }) => reason)?.reason ?? null;
}
