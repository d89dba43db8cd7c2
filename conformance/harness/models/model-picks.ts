import type { Caller, Grant, Recorded, Span, World } from "./donation-world.ts";

// Numbers that choose among what there is when their turn comes.

export type Picks = readonly number[];
export type Step = { name: string; when?: (world: World) => boolean; run: (world: World, picks: Picks) => Promise<void> };

export const days = 4;

export const pick = <T>(all: readonly T[], number = 0): T => all[number % all.length] as T;
export const keyed = ({ recorded: all }: World): Recorded[] => all.filter(({ body }) => body.idempotencyKey !== undefined);
export const living = ({ callers }: World): Caller[] => callers.filter(({ alive }) => alive);
export const applications = (world: World): string[] => [...new Set(living(world).map(({ application }) => application))];

/** Who asks: one who may, of that application where it matters. */
export const caller = (world: World, number = 0, application?: string): Caller =>
  pick(
    living(world).filter((one) => application === undefined || one.application === application),
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
