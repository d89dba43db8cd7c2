// What changes a streamer's timer, and how: a pure reducer over what happened, in the order of the streamer's log. Times are milliseconds since
// 1970 by the database's clock; one that goes back counts as the time before.

import { isDeepStrictEqual } from "node:util";
import { decimal } from "../../db/decimal.ts";
import { maximumOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";

export type TimerRules = Schemas["TimerRules"];
type TimerRulesChange = Schemas["TimerRulesUpdate"];

export type Timer = Readonly<{
  status: Schemas["TimerStatus"];
  /** The time up to which it has counted. */
  at: number;
  /** What was left then. */
  leftMs: number;
  /** How long it runs in all: what is passed and what is left together. */
  totalMs: number;
  startedAt: number | null;
  endedAt: number | null;
  /** It has just ended because its time ran out. */
  ranOut: boolean;
  rules: TimerRules;
}>;

/** A donation as a timer sees it. `amount`: a decimal. */
type CountedDonation = Readonly<{ amount: string; isTest: boolean; isImported: boolean }>;

export const defaultRules: TimerRules = Object.freeze({
  steps: [{ from: 0, seconds: 60, per: 100 }],
  maximumSeconds: null,
  countTests: false,
  countImports: false,
});

export const timerOff: Timer = Object.freeze({
  ...{ status: "off", at: 0, leftMs: 0, totalMs: 0, startedAt: null, endedAt: null, ranOut: false },
  rules: defaultRules,
} as const);

/** Whether it runs or is paused: donations add time. */
export function isOpen({ status }: Pick<Timer, "status">): boolean {
  return status === "running" || status === "paused";
}

/** What is left at `now`. The timer has ended only when that is recorded, or when something later is. */
export function remainingMs({ status, at, leftMs }: Timer, now: number): number {
  return status === "running" ? Math.max(0, leftMs - Math.max(0, now - at)) : leftMs;
}

/** When a running timer runs out; null for one that does not run. */
export function endsAt({ status, at, leftMs }: Timer): number | null {
  return status === "running" ? at + leftMs : null;
}

/** The timer at this time, when nothing else has happened before. */
export function advance(timer: Timer, time: number): Timer {
  if (timer.status !== "running") return { ...timer, at: Math.max(timer.at, time) };
  const at = Math.max(timer.at, time);
  const leftMs = timer.leftMs - (at - timer.at);
  return leftMs > 0 ? { ...timer, at, leftMs } : { ...ended({ ...timer, leftMs: 0, at }, timer.at + timer.leftMs), ranOut: true };
}

/** The same with time that is added, or taken when it is less than 0. */
function change(timer: Timer, byMs: number): Timer {
  const taken = Math.max(byMs, -timer.leftMs);
  if (taken === 0) return timer;
  const changed = { ...timer, leftMs: timer.leftMs + taken, totalMs: timer.totalMs + taken };
  return changed.leftMs > 0 ? changed : ended(changed, timer.at);
}

function ended(timer: Timer, endedAt: number): Timer {
  return { ...timer, status: "ended", endedAt };
}

/** Time that can be added up to the maximum. */
function roomMs({ totalMs, rules }: Timer): number {
  return Math.max(0, (rules.maximumSeconds ?? maximumOf("timerSeconds")) * 1_000 - totalMs);
}

/** A donation was recorded. `addedMs`: what a void takes back. */
export function donated(before: Timer, time: number, donation: CountedDonation): { timer: Timer; addedMs: number } {
  const timer = advance(before, time);
  const addedMs = isOpen(timer) ? Math.min(stepMs(timer.rules, donation), roomMs(timer)) : 0;
  return { timer: change(timer, addedMs), addedMs };
}

/** A donation was voided that had added this. */
export function voided(before: Timer, time: number, addedMs: number): Timer {
  const timer = advance(before, time);
  return isOpen(timer) ? change(timer, -addedMs) : timer;
}

/** What the rules say of a donation, in whole milliseconds. */
function stepMs({ steps, countTests, countImports }: TimerRules, { amount, isTest, isImported }: CountedDonation): number {
  if ((isTest && !countTests) || (isImported && !countImports)) return 0;
  const reached = steps.filter(({ from }) => from <= Number(amount));
  const step = reached.reduce<(typeof steps)[number] | null>((best, one) => (best && best.from > one.from ? best : one), null);
  if (!step) return 0;
  const { seconds, per = null } = step;
  if (per === null) return seconds * 1_000;
  const { units, scale } = decimal(amount); // exact: 0.29 baht at a second for each are 290 ms
  return Number((units * BigInt(seconds) * 1_000n) / (BigInt(per) * 10n ** BigInt(scale)));
}

/** What the streamer does, each at `timer.at`. The same timer: it has no effect; null: the timer's state does not allow it. */
export const commands = {
  start: (timer: Timer, seconds: number, sent: TimerRulesChange = {}): Timer | null => {
    if (isOpen(timer)) return null;
    const times = { at: timer.at, startedAt: timer.at, endedAt: null, leftMs: seconds * 1_000, totalMs: seconds * 1_000 };
    return { ...times, status: "running", ranOut: false, rules: changeRules(timer.rules, sent) };
  },
  pause: (timer: Timer): Timer | null => withStatus(timer, "paused"),
  resume: (timer: Timer): Timer | null => withStatus(timer, "running"),
  rules: (timer: Timer, sent: TimerRulesChange): Timer => {
    const rules = changeRules(timer.rules, sent);
    return isDeepStrictEqual(rules, timer.rules) ? timer : { ...timer, rules };
  },
  adjust: (timer: Timer, seconds: number): Timer | null => (isOpen(timer) ? change(timer, Math.min(seconds * 1_000, roomMs(timer))) : null),
  end: (timer: Timer): Timer | null => {
    if (timer.status === "off") return null;
    return isOpen(timer) ? change(timer, -timer.leftMs) : timer;
  },
} as const;

function changeRules(rules: TimerRules, sent: TimerRulesChange): TimerRules {
  return { ...rules, ...sent } as TimerRules; // a member that was not sent is not there
}

function withStatus(timer: Timer, status: "running" | "paused"): Timer | null {
  if (!isOpen(timer)) return null;
  return timer.status === status ? timer : { ...timer, status };
}
