// events.ndjson: one JSON object per line, written while the run goes on. Every other report is made from these events alone.

import { appendFileSync, writeFileSync } from "node:fs";
import type { Listener } from "./reporter.ts";
import { type Counts, countsOf, type Digest, digestsOf, type Rule, type Run } from "./run.ts";

const described = [
  "server",
  "implementation",
  "mutant",
  "versions",
  "profile",
  "depth",
  "lengthUnit",
  "only",
  "changedSince",
  "shard",
  "seed",
  "options",
] as const satisfies (keyof Run)[];

/** What is known of a run when it starts. */
type Description = Pick<Run, (typeof described)[number]>;

type Start = Description & {
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
type Events = Pick<Listener, "rule" | "error"> & { start: (run: Run) => void; end: (run: Run) => void; written: readonly Event[] };

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

/** Writes the events of a run that has ended. */
export function writeEvents(file: string, run: Run): void {
  const events = openEvents(file);
  events.start(run);
  run.rules.forEach(events.rule);
  run.errors.forEach(events.error);
  events.end(run);
}

const startOf = (run: Run): Start => ({
  event: "start",
  ...(Object.fromEntries(described.map((member) => [member, run[member]])) as Description),
  startedAt: run.startedAt.toISOString(),
});

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

/** Returns the run that the events describe; one that did not end is not measurable. Throws when the events have no start. */
export function runOf(events: readonly Event[]): Run {
  const start = events.find((one) => one.event === "start");
  if (!start) throw new Error("the events have no start");
  const { event: _, startedAt, ...settings } = start;
  const { verdict, reason, milliseconds, notes, filesLeftOut } = events.find((one) => one.event === "end") ?? unended;
  return {
    ...settings,
    startedAt: new Date(startedAt),
    verdict,
    reason,
    milliseconds,
    notes,
    rules: events.filter((one) => one.event === "rule").map(({ event, ...rule }) => rule),
    leftOut: filesLeftOut,
    errors: events.filter((one) => one.event === "error").map(({ message }) => message),
  };
}

const unended: Omit<End, "event" | "counts" | "digests"> = {
  verdict: "not measurable",
  reason: { text: "the run ended without a result", curl: null },
  milliseconds: 0,
  notes: [],
  filesLeftOut: [],
};
