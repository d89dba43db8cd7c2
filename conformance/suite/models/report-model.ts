// Computes reports of any donations from a plain list, to compare a server's answers with. Amounts are whole satang, so that sums are exact.

import type { components } from "../../../generated/api.d.ts";
import type { Donation } from "../client/api.ts";

type Schemas = components["schemas"];

/** A range as an answer states it. */
export type Stated = { from: string | null; to: string | null };

/** `ms`: its createdAt, in milliseconds since 1970. */
export type Counted = Donation & { ms: number };

/** In the order of recording. */
export type Donations = readonly Counted[];

export const countedFrom = (donations: readonly Donation[]): Donations =>
  donations.map((one) => ({ ...one, ms: Date.parse(one.createdAt) }));

export function between(donations: Donations, { from, to }: Stated): Donations {
  const [first, after] = [
    from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    to === null ? Number.POSITIVE_INFINITY : Date.parse(to),
  ];
  return donations.filter(({ ms }) => ms >= first && ms < after);
}

export function figuresOf(donations: Donations): { total: number; count: number; average: number | null } {
  return { total: satangOf(donations) / 100, count: donations.length, average: quotient(satangOf(donations), donations.length) };
}

/** Stats without their periods; `largest` and `latest` are ids. */
export function statsOf(donations: Donations): object {
  const amounts = donations.map(satang).sort((a, b) => a - b);
  const middle = [amounts[(amounts.length - 1) >> 1], amounts[amounts.length >> 1]] as const;
  const baht = (one: number | undefined): number | null => (one === undefined ? null : one / 100);
  return {
    ...figuresOf(donations),
    median: middle[0] === undefined || middle[1] === undefined ? null : (middle[0] + middle[1]) / 200,
    min: baht(amounts[0]),
    max: baht(amounts.at(-1)),
    uniqueDonators: new Set(donations.map(donatorOf)).size,
    largest: lastBy(donations, satang)?.id ?? null,
    latest: lastBy(donations, timeOf)?.id ?? null,
  };
}

/** Growth in percent; null when there was nothing before. */
export const growth = (now: number, before: number): number | null => quotient((now - before) * 10_000, before);

export function topDonatorsOf(donations: Donations, by: "amount" | "count", limit: number): object[] {
  const score = (theirs: Donations): number => (by === "amount" ? satangOf(theirs) : theirs.length);
  const all = [...Map.groupBy(donations, donatorOf)].map(([donator, theirs]) => ({
    donator,
    theirs,
    latest: lastBy(theirs, timeOf) as Counted,
  }));
  const before = (a: string, b: string): number => (a < b ? -1 : 1);
  all.sort((a, b) => score(b.theirs) - score(a.theirs) || timeOf(b.latest) - timeOf(a.latest) || before(a.donator, b.donator));
  return all.slice(0, limit).map(({ theirs, latest }) => ({
    rank: 1 + all.filter((other) => score(other.theirs) > score(theirs)).length,
    name: latest.donatorName,
    identifier: latest.identifier,
    ...figuresOf(theirs),
    firstAt: new Date(Math.min(...theirs.map(timeOf))).toISOString(),
    lastAt: latest.createdAt,
  }));
}

/** Every channel that has donations. Shares are left out: of equal remainders the contract does not say which is rounded up. */
export const channelsOf = (donations: Donations): Map<Schemas["Channel"], object> =>
  new Map([...Map.groupBy(donations, ({ channel }) => channel)].map(([channel, theirs]) => [channel, { channel, ...figuresOf(theirs) }]));

/** Names that differ in case or by a leading @ are one donator; names of the model differ in nothing else. */
export const donatorOf = ({ identifier, donatorName }: Donation): string =>
  identifier === null ? `n:${donatorName.toLowerCase().replace(/^@/, "")}` : `i:${identifier}`;

const timeOf = ({ ms }: Counted): number => ms;
const satang = ({ amount }: Donation): number => Math.round(amount * 100);
const satangOf = (donations: Donations): number => donations.reduce((sum, one) => sum + satang(one), 0);

/** The donation with the highest value; of equal ones the one recorded last. */
const lastBy = (donations: Donations, value: (one: Counted) => number): Counted | undefined =>
  donations.reduce<Counted | undefined>((best, one) => (best && value(best) > value(one) ? best : one), undefined);

/** The quotient of whole numbers as hundredths, a half rounded away from zero; null for a division by 0. */
function quotient(numerator: number, denominator: number): number | null {
  if (denominator === 0) return null;
  const [units, by] = [BigInt(Math.abs(numerator)), BigInt(denominator)];
  const hundredths = Number((2n * units + by) / (2n * by));
  return (numerator < 0 ? -hundredths : hundredths) / 100;
}
