// Donations that differ in one member, and how the server must compare them.

import { expect } from "vitest";

import { create, type Donation, problemOf, recorded, replayed } from "../../client/api.ts";
import { answerTo, parseDateTime } from "../../contract/date-time.ts";
import type { Reply } from "../../contract/http-request.ts";
import { type Body, donation, freshIdentifier, freshKey } from "../../values/donations.ts";
import type { Member } from "./members.ts";

/** A valid body that its identifier finds again, without an alert; a value that is undefined leaves the member out. */
export const bodyWith = ({ name }: Member, value: unknown): Body =>
  donation({
    skipAlert: true,
    identifier: freshIdentifier(),
    idempotencyKey: freshKey(),
    createdAt: "2026-11-20T12:30:00Z",
    [name]: value,
  });

/** The expected member of the record: an instant in UTC; the default for a value that means "not set" or was left out. */
export function answered({ shape, fallback, special }: Member, value: unknown, record: Donation): unknown {
  if (value === undefined || value === special?.none) return special?.absent ? memberOf(record, special.absent) : (fallback ?? null);
  const time = shape.format === "date-time" && typeof value === "string" ? parseDateTime(value) : null;
  return time ? answerTo(time) : value;
}

export const memberOf = (record: Donation, member: string): unknown => (record as { [member: string]: unknown })[member];

/** Expects one value and then the other under one idempotency key to be a conflict, in both orders. */
export async function expectConflict(member: Member, one: unknown, other: unknown): Promise<void> {
  for (const [first, second] of bothOrders(one, other)) {
    const { again } = await inTurn(member, first, second);
    const fault = `${member.name} is not compared: ${show(first)} and then ${show(second)} under one idempotency key must be refused`;
    if (again.status !== 422) throw new Error(`${fault}, and was answered ${again.status}`);
    expect(problemOf(again).code, fault).toBe("idempotency_key_reused");
  }
}

/** Expects one value and then the other under one idempotency key to be the same donation, in both orders. */
export async function expectSame(member: Member, one: unknown, other: unknown): Promise<void> {
  for (const [first, second] of bothOrders(one, other)) {
    const { record, again } = await inTurn(member, first, second);
    const fault = `${member.name} ${show(first)} and ${show(second)} mean the same: the second under one idempotency key must be a replay`;
    if (again.status !== 200) throw new Error(`${fault}, and was answered ${again.status}`);
    expect(replayed(again)).toEqual(record);
  }
}

async function inTurn(member: Member, first: unknown, second: unknown): Promise<{ record: Donation; again: Reply }> {
  const body = bodyWith(member, first);
  return { record: recorded(await create(body)), again: await create({ ...body, [member.name]: second }) };
}

const bothOrders = (one: unknown, other: unknown): [unknown, unknown][] => [
  [one, other],
  [other, one],
];

const show = (value: unknown): string => (value === undefined ? "left out" : JSON.stringify(value));
