// The timer: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

const reducer = "src/alerts/timer/timer.ts";

export const timer: Mutants = {
  "timer-maximum-ignored": {
    broken: "a timer grows beyond its maximum",
    edit: {
      file: reducer,
      from: "Math.min(stepMs(timer.rules, donation), roomMs(timer))",
      to: "stepMs(timer.rules, donation)",
    },
    killedBy: [
      ["alerts/get-timer", /takes back only what the maximum let its donation add/],
      ["alerts/update-timer-rules", /lets nothing be added/],
    ],
  },
  "timer-void-forgotten": {
    broken: "a timer keeps the time of donations that were counted before they were voided",
    edit: {
      file: "src/alerts/timer/timer-log.ts",
      from: "voided(before, time, added.get(donationId) ?? takenMs)",
      to: "voided(before, time, added.get(donationId) ?? 0)",
    },
    killedBy: [["alerts/get-timer", /takes back what its donation added/]],
  },
  "timer-in-seconds": {
    broken: "a donation adds whole seconds",
    edit: {
      file: reducer,
      from: "return Number((units * BigInt(seconds) * 1_000n) / (BigInt(per) * 10n ** BigInt(scale)));",
      to: "return Number((units * BigInt(seconds)) / (BigInt(per) * 10n ** BigInt(scale))) * 1_000;",
    },
    killedBy: [["alerts/get-timer", /adds whole milliseconds/]],
  },
  "timer-ended-twice": {
    broken: "a timer that ran out is recorded as ended with every look at it",
    edit: {
      file: "src/events/timers.ts",
      from: `const hasEnded = timer.status === "ended" && before.status !== "ended";`,
      to: `const hasEnded = timer.status === "ended";`,
    },
    killedBy: [["alerts/update-timer-rules", /of an ended timer/]],
  },
  "timer-end-late": {
    broken: "a timer ends when that is noticed",
    edit: {
      file: reducer,
      from: "...ended({ ...timer, leftMs: 0, at }, timer.at + timer.leftMs), ranOut: true",
      to: "...ended({ ...timer, leftMs: 0, at }, at + 1), ranOut: true",
    },
    killedBy: [["alerts/start-timer", /at the moment when it had nothing left/]],
  },
  "timer-pause-deaf": {
    broken: "donations add nothing to a paused timer",
    edit: {
      file: reducer,
      from: "const addedMs = isOpen(timer) ?",
      to: 'const addedMs = timer.status === "running" ?',
    },
    killedBy: [["alerts/pause-timer", /stands still, and donations add time/]],
  },
  "timer-resume-anew": {
    broken: "a timer that is resumed while it runs begins anew",
    edit: {
      file: reducer,
      from: "return timer.status === status ? timer : { ...timer, status };",
      to: 'return status === "paused" && timer.status === status ? timer : { ...timer, status, at: timer.at + 1_000 };',
    },
    killedBy: [["alerts/resume-timer", /resuming it again has no effect/]],
  },
  "timer-adjusted-twice": {
    broken: "an adjustment whose idempotency key was used is made again",
    edit: {
      file: "src/events/timer-operations.ts",
      from: "if (known !== null)\n          return {",
      to: "if (known === 0)\n          return {",
    },
    killedBy: [["alerts/adjust-timer", /adjusts once/]],
  },
  "timer-end-keeps": {
    broken: "a timer that is ended keeps what was left",
    edit: {
      file: reducer,
      from: "return isOpen(timer) ? change(timer, -timer.leftMs) : timer;",
      to: "return isOpen(timer) ? ended(timer, timer.at) : timer;",
    },
    killedBy: [["alerts/end-timer", /has nothing left and is timer.ended/]],
  },
};
