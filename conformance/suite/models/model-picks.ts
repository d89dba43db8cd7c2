// Chooses among the donations, callers and grants of the model by generated numbers.

import type { Caller, Grant, ModelState, Recorded, Span } from "./donation-state.ts";

export type Picks = readonly number[];
export type Step = { name: string; when?: (state: ModelState) => boolean; run: (state: ModelState, picks: Picks) => Promise<void> };

export const days = 4;

export const pick = <T>(all: readonly T[], number = 0): T => all[number % all.length] as T;
export const withKey = ({ recorded: all }: ModelState): Recorded[] => all.filter(({ body }) => body.idempotencyKey !== undefined);
const liveCallers = ({ callers }: ModelState): Caller[] => callers.filter(({ alive }) => alive);
export const applications = (state: ModelState): string[] => [...new Set(liveCallers(state).map(({ application }) => application))];

/** A live caller, of this application if one is named. */
export const caller = (state: ModelState, number = 0, application?: string): Caller =>
  pick(
    liveCallers(state).filter((one) => application === undefined || one.application === application),
    number,
  );

export function span([, a = 0, b = 0]: Picks): Span {
  const [from = 0, to = 0] = [a % days, b % days].sort((one, other) => one - other);
  return { from, to };
}

export const liveGrant = ({ grants }: ModelState, number = 0): Grant =>
  pick(
    grants.filter(({ alive }) => alive),
    number,
  );
