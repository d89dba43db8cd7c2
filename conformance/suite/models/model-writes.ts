// Steps that record donations, or try to, and how any step chooses among the donations, callers and grants of the model.

import { expect } from "vitest";
import { create, expectFaults, expectProblem, readDonation, recorded, replayed, voidDonation, voidReasons } from "../client/api.ts";
import { maxAmount } from "../contract/interface.ts";
import { type Body, freshKey } from "../values/donations.ts";
import { target } from "../values/target.ts";
import type { Caller, Grant, ModelState, Recorded, Span } from "./donation-state.ts";

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
