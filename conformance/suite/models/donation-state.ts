// Computes in plain numbers what lists and reports must answer for the donations of a few days. Times are those of Bangkok, amounts quarters of a baht.

import { expect } from "vitest";
import {
  create,
  type Donation,
  expectFaults,
  expectProblem,
  type Query,
  readDonation,
  recorded,
  replayed,
  voidDonation,
  voidReasons,
} from "../client/api.ts";
import type { Tokens } from "../client/oauth/oauth-client.ts";
import { maxAmount } from "../contract/interface.ts";
import { type Body, freshKey } from "../values/donations.ts";
import { target } from "../values/target.ts";

/** A key or access token with its application. */
export type Caller = { key: string; application: string; alive: boolean; grant: Grant | null };

export type Grant = { tokens: Tokens; alive: boolean };

type Recorded = {
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

type Span = { from: number; to: number };

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
  let counted = 0;
  return {
    amount: each.map(({ label, own }) => {
      running += sum(own.map(satang));
      return { label, total: totalOf(own), count: own.length, average: averageOf(own), cumulative: running / 100 };
    }),
    count: each.map(({ label, own }) => {
      counted += own.length;
      return { label, count: own.length, uniqueDonators: donatorsOf(own).length, cumulative: counted };
    }),
  };
}

// Steps that record donations, or try to, and how any step chooses among the donations, callers and grants of the model.

// Chooses among the donations, callers and grants of the model by generated numbers.

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

/** With the largest one where the donations are nobody's. */
const amounts = (): number[] => [0.25, 1, 2.5, 10, 10, 99.75, target().foreign ? 99.75 : maxAmount];
const hours = ["00:00", "12:00", "12:00:00.001", "23:59:59.999"];

type Donator = { donator: string; members: Body };

/** Some of them are the same donator under several names, or several under one. */
function donators({ tag }: ModelState): Donator[] {
  return [
    { donator: "n:ann", members: { donatorName: "Ann" } },
    { donator: "n:ann", members: { donatorName: " @ANN" } },
    { donator: "n:สมชาย", members: { donatorName: "สมชาย" } },
    { donator: `i:${tag}:1`, members: { donatorName: "Ann", identifier: `${tag}:1` } },
    { donator: `i:${tag}:2`, members: { donatorName: "Bo", identifier: `${tag}:2` } },
    { donator: "n:bo", members: { donatorName: "bo", identifier: "" } },
  ];
}

/** A body, and what the model must know of it. */
export function newDonation(
  state: ModelState,
  [, day = 0, amount = 0, hour = 0, who = 0]: Picks,
): Pick<Recorded, "body" | "day" | "donator"> {
  const { donator, members } = pick(donators(state), who);
  const createdAt = `${state.days[day % days]}T${pick(hours, hour)}+07:00`;
  return { day: day % days, donator, body: { skipAlert: true, amount: pick(amounts(), amount), createdAt, ...members } };
}

export async function record(state: ModelState, picks: Picks, key?: string): Promise<void> {
  const { application, key: credential } = caller(state, picks[0]);
  const made = newDonation(state, picks);
  const body = { ...made.body, ...(key === undefined ? {} : { idempotencyKey: key }) };
  const donation = recorded(await create(body, { key: credential }));
  const { createdAt: _, ...members } = made.body;
  expect(donation).toMatchObject({ ...members, identifier: made.body.identifier || null, idempotencyKey: key ?? null });
  state.recorded.push({ ...made, body, donation, application });
}

export function recordKeyed(state: ModelState, picks: Picks): Promise<void> {
  return record(state, picks, freshKey());
}

export async function replayDonation(state: ModelState, [which, who]: Picks): Promise<void> {
  const { body, donation, application } = pick(withKey(state), which);
  if (!applications(state).includes(application)) return;
  expect(replayed(await create(body, { key: caller(state, who, application).key }))).toEqual(donation);
}

export async function reuseKey(state: ModelState, [which, who]: Picks): Promise<void> {
  const { body, application } = pick(withKey(state), which);
  if (!applications(state).includes(application)) return;
  const others = [{ amount: Number(body.amount) + 0.25 }, { message: "another" }, { skipAlert: false }, { createdAt: undefined }];
  const reply = await create({ ...body, ...pick(others, who) }, { key: caller(state, who, application).key });
  if (reply.status !== 400) expectProblem(reply, 422, "idempotency_key_reused");
  else expectFaults(reply, "/amount out_of_range"); // a quarter more than the largest amount
}

export async function useForeignKey(state: ModelState, [which, ...picks]: Picks): Promise<void> {
  const { body, application } = pick(withKey(state), which);
  const sameKey = withKey(state).filter((one) => one.body.idempotencyKey === body.idempotencyKey);
  const free = applications(state).filter((name) => sameKey.every((one) => one.application !== name));
  if (free.length === 0) return;
  const stranger = caller(state, picks[0], pick(free, picks[1]));
  const donation = recorded(await create(body, { key: stranger.key }));
  const { day, donator } = pick(sameKey, 0);
  state.recorded.push({ body, day, donator, donation, application: stranger.application });
  expect(application).not.toBe(stranger.application);
}

/** By a key of the streamer, whoever recorded it; another reason than the first is refused. */
export async function takeOneBack(state: ModelState, [which, why]: Picks): Promise<void> {
  const one = pick(state.recorded, which);
  const reason = pick(voidReasons, why);
  const reply = await voidDonation(one.donation.id, { reason });
  if (one.donation.voided && one.donation.voided.reason !== reason) return expectProblem(reply, 409, "already_voided");
  const voided = one.donation.voided ?? { at: expect.any(String) as string, reason };
  const answered = readDonation(reply);
  expect(answered).toEqual({ ...one.donation, idempotencyKey: answered.idempotencyKey, voided });
  one.donation = { ...one.donation, voided: answered.voided };
}

export async function recordAfterRefusal(state: ModelState, picks: Picks): Promise<void> {
  const key = freshKey();
  const { body } = newDonation(state, picks);
  expectFaults(await create({ ...body, idempotencyKey: key, amount: 0 }, { key: caller(state, picks[0]).key }), "/amount out_of_range");
  await record(state, picks, key);
}
