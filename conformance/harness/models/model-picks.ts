// Chooses among the donations, callers and grants of the model by generated numbers.

import type { Caller, Grant, Recorded, Span, World } from "./donation-world.ts";

export type Picks = readonly number[];
export type Step = { name: string; when?: (world: World) => boolean; run: (world: World, picks: Picks) => Promise<void> };

export const days = 4;

export const pick = <T>(all: readonly T[], number = 0): T => all[number % all.length] as T;
export const withKey = ({ recorded: all }: World): Recorded[] => all.filter(({ body }) => body.idempotencyKey !== undefined);
const liveCallers = ({ callers }: World): Caller[] => callers.filter(({ alive }) => alive);
export const applications = (world: World): string[] => [...new Set(liveCallers(world).map(({ application }) => application))];

/** A live caller, of this application if one is named. */
export const caller = (world: World, number = 0, application?: string): Caller =>
  pick(
    liveCallers(world).filter((one) => application === undefined || one.application === application),
    number,
  );

export function span([, a = 0, b = 0]: Picks): Span {
  const [from = 0, to = 0] = [a % days, b % days].sort((one, other) => one - other);
  return { from, to };
}

export const liveGrant = ({ grants }: World, number = 0): Grant =>
  pick(
    grants.filter(({ alive }) => alive),
    number,
  );
