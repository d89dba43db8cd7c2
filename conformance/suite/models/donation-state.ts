// Computes in plain numbers what lists and reports must answer for the donations of a few days. Times are those of Bangkok, amounts quarters of a baht.

import type { Donation, Query } from "../client/api.ts";
import type { Tokens } from "../client/oauth/oauth-client.ts";

/** A key or access token with its application. */
export type Caller = { key: string; application: string; alive: boolean; grant: Grant | null };

export type Grant = { tokens: Tokens; alive: boolean };

export type Recorded = {
  donation: Donation;
  application: string;
  /** The body that was sent, for replays. */
  body: Record<string, unknown>;
  day: number;
  /** Reports count donators by this. */
  donator: string;
};

export type ModelState = {
  /** Days without donations of other rules. */
  days: string[];
  tag: string;
  callers: Caller[];
  grants: Grant[];
  /** In the order of recording. */
  recorded: Recorded[];
};

export type Span = { from: number; to: number };

const inSpan = ({ recorded }: ModelState, { from, to }: Span): Recorded[] => recorded.filter(({ day }) => from <= day && day <= to);

/** Without the void donations, which no report counts. */
export const recordedIn = (state: ModelState, span: Span): Recorded[] => inSpan(state, span).filter(({ donation }) => !donation.voided);

/** Of this status, as lists filter them. */
export const recordedWith = (state: ModelState, span: Span, status: string): Recorded[] =>
  inSpan(state, span).filter(({ donation }) => status === "all" || (donation.voided !== null) === (status === "voided"));

export const rangeOf = ({ days }: ModelState, { from, to }: Span): Query => ({ from: days[from] ?? "", to: days[to] ?? "" });

/** The donation without another application's idempotency key. */
export const asSeenBy = ({ application }: Caller, one: Recorded): Donation =>
  one.application === application ? one.donation : { ...one.donation, idempotencyKey: null };

type Order = (a: Recorded, b: Recorded) => number;

const time = ({ donation }: Recorded): number => Date.parse(donation.createdAt);
const orders: Record<string, Order> = {
  createdAt: (a, b) => time(a) - time(b),
  receivedAt: () => 0,
  amount: (a, b) => a.donation.amount - b.donation.amount,
};

export const sorts = Object.keys(orders).flatMap((name) => [name, `-${name}`]);

/** Equal values stand in the order of recording; `-` turns all of it round. */
export function sorted(some: readonly Recorded[], sort: string): Recorded[] {
  const rising = some.toSorted(orders[sort.replace("-", "")]);
  return sort.startsWith("-") ? rising.reverse() : rising;
}

/** The last of several, where the later recorded wins. */
const last = (some: readonly Recorded[], name: string): Recorded | undefined => sorted(some, name).at(-1);

const satang = ({ donation }: Recorded): number => donation.amount * 100;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const rounded = (hundredths: number, count: number): number => Math.floor((2 * hundredths + count) / (2 * count)) / 100;

const totalOf = (some: readonly Recorded[]): number => sum(some.map(satang)) / 100;
const averageOf = (some: readonly Recorded[]): number | null => (some.length === 0 ? null : rounded(sum(some.map(satang)), some.length));
const donatorsOf = (some: readonly Recorded[]): string[] => [...new Set(some.map(({ donator }) => donator))];

export function statsOf(some: readonly Recorded[], caller: Caller): object {
  const amounts = some.map(({ donation }) => donation.amount).sort((a, b) => a - b);
  const [low, high] = [amounts[(amounts.length - 1) >> 1], amounts[amounts.length >> 1]];
  const seen = (one: Recorded | undefined): Donation | null => (one ? asSeenBy(caller, one) : null);
  return {
    total: totalOf(some),
    count: some.length,
    average: averageOf(some),
    median: low === undefined || high === undefined ? null : (low + high) / 2,
    min: amounts[0] ?? null,
    max: amounts.at(-1) ?? null,
    uniqueDonators: donatorsOf(some).length,
    largest: seen(last(some, "amount")),
    latest: seen(last(some, "createdAt")),
  };
}

export const breakdownOf = (some: readonly Recorded[]): object => ({ total: totalOf(some), count: some.length });

/** By rank; those who are equal by the latest donation, then by key. */
export function rankedOf(some: readonly Recorded[], by: "amount" | "count"): object[] {
  const score = (own: readonly Recorded[]): number => (by === "amount" ? sum(own.map(satang)) : own.length);
  const lastAt = (own: readonly Recorded[]): number => Math.max(...own.map(time));
  const all = donatorsOf(some).map((donator) => ({ donator, own: some.filter((one) => one.donator === donator) }));
  all.sort((a, b) => score(b.own) - score(a.own) || lastAt(b.own) - lastAt(a.own) || (a.donator < b.donator ? -1 : 1));
  return all.map(({ own }) => ({
    rank: 1 + all.filter((other) => score(other.own) > score(own)).length,
    name: last(own, "createdAt")?.donation.donatorName,
    total: totalOf(own),
    count: own.length,
    average: averageOf(own),
    firstAt: new Date(Math.min(...own.map(time))).toISOString(),
    lastAt: new Date(lastAt(own)).toISOString(),
  }));
}

/** A point for every day, those without a donation too. */
export function daysOf(state: ModelState, { from, to }: Span): { amount: object[]; count: object[] } {
  const each = state.days
    .slice(from, to + 1)
    .map((label, index) => ({ label, own: recordedIn(state, { from: from + index, to: from + index }) }));
  let running = 0;
  return {
    amount: each.map(({ label, own }) => {
      running += sum(own.map(satang));
      return { label, total: totalOf(own), count: own.length, average: averageOf(own), cumulative: running / 100 };
    }),
    count: each.map(({ label, own }) => ({ label, count: own.length, uniqueDonators: donatorsOf(own).length })),
  };
}
