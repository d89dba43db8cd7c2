// How long a rule file may start rules in a quick run.

/** The time of a rule file in a quick run, in milliseconds; instants since 1970. */
export type TimeSlot = {
  endsAt: number;
  /** What the file gets all the same where loading others took longer than planned, counted from its first rule. */
  duration: number;
  /** When a file gets nothing any more: a slow server or its rate limit must not make a quick run long. */
  latest: number;
};

/** The time after which a file, whose first rule began at `begunAt`, starts no further rule. */
export function deadlineOf({ endsAt, duration, latest }: TimeSlot, begunAt: number): number {
  return Math.max(endsAt, Math.min(begunAt + duration, latest));
}
