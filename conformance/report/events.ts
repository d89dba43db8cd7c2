import { appendFileSync, writeFileSync } from "node:fs";

import { digestsOf } from "./digest.ts";
import type { Listener } from "./reporter.ts";
import { countsOf, type Run } from "./run.ts";

/** events.ndjson: one JSON object per line, written while the run goes on. */
export type Events = Pick<Listener, "rule" | "error"> & {
  start: (run: Pick<Run, "server" | "profile" | "depth" | "only" | "seed" | "startedAt">) => void;
  end: (run: Run) => void;
};

export function openEvents(file: string): Events {
  writeFileSync(file, "");
  const write = (event: string, members: object): void => appendFileSync(file, `${JSON.stringify({ event, ...members })}\n`);
  return {
    start: ({ server, profile, depth, only, seed, startedAt }) => write("start", { server, profile, depth, only, seed, startedAt }),
    rule: (rule) => write("rule", rule),
    error: (message) => write("error", { message }),
    end: ({ verdict, reason, milliseconds, notes, leftOut, rules }) =>
      write("end", { verdict, reason, milliseconds, notes, filesLeftOut: leftOut, counts: countsOf(rules), digests: digestsOf(rules) }),
  };
}
