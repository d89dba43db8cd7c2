// What every receiver must answer with a status from 200 to 299.

import { eventTypes } from "../suite/contract/contract.ts";
import type { Case } from "./case.ts";
import { type Delivery, delivery, newId, newSecret, type Secrets } from "./delivery.ts";
import { eventOf } from "./events.ts";
import { formatted, long, unicode, withUnknownMembers } from "./unusual-bodies.ts";

type AcceptedCase = Omit<Case, "expected">;

const accepted = (one: AcceptedCase): Case => ({ ...one, expected: "accepted" });

const bodyOf = (type: string): string => JSON.stringify(eventOf(type));

const donation = "donation.created";

/** An event of every type, as the server sends it. */
export const soundCases: readonly Case[] = eventTypes.map((type) =>
  accepted({ title: `a sound ${type} is accepted`, deliveries: ({ current }) => [delivery([current], bodyOf(type))] }),
);

const sequences: readonly AcceptedCase[] = [
  {
    title: "an event that arrives twice is accepted both times",
    deliveries: ({ current }) => {
      const [id, body] = [newId(), bodyOf(donation)];
      return [10, 0].map((age) => delivery([current], body, { id, age }));
    },
    advice:
      "Answers do not show whether the receiver acted twice. Keep the webhook-id of what was handled, and do nothing the second time.",
  },
  {
    title: "events that arrive in another order than they happened are accepted",
    deliveries: ({ current }) =>
      ["alert.shown", "alert.started", donation].map((type, at) => delivery([current], bodyOf(type), { age: 5 * at })),
    advice: "Answers do not show what the receiver made of the order. The timestamp in the body says when each event happened.",
  },
  {
    title: "a delivery that was under way for 15 seconds is accepted",
    deliveries: ({ current }) => [delivery([current], bodyOf(donation), { age: 15 })],
  },
];

const rotations: readonly AcceptedCase[] = [
  {
    title: "two signatures, the first by the receiver's secret: accepted",
    deliveries: ({ current }) => [delivery([current, newSecret()], bodyOf(donation))],
  },
  {
    title: "two signatures, the second by the receiver's secret: accepted",
    deliveries: ({ current }) => [delivery([newSecret(), current], bodyOf(donation))],
  },
  {
    title: "a signature of version v1a before one of version v1: accepted",
    deliveries: ({ current }) => [withSignature(delivery([current], bodyOf(donation)), (v1) => `v1a,${"A".repeat(86)}== ${v1}`)],
  },
];

/** Only for a receiver that has two secrets. */
const previousSecretCases: readonly AcceptedCase[] = [
  {
    title: "a delivery signed by the previous secret alone is accepted",
    deliveries: ({ previous }) => [delivery(previous ? [previous] : [], bodyOf(donation))],
  },
  {
    title: "a delivery signed by the current and the previous secret is accepted",
    deliveries: ({ current, previous }) => [delivery(previous ? [current, previous] : [current], bodyOf(donation))],
  },
];

const bodies: readonly (readonly [title: string, body: () => string])[] = [
  ["an event of an unknown type is accepted", () => JSON.stringify({ ...eventOf(donation), type: "conformance.unknown", data: {} })],
  ["an event with unknown members is accepted", () => JSON.stringify(withUnknownMembers(eventOf(donation)))],
  ["a body in another notation than JSON.stringify's is accepted: the signature covers its bytes", () => formatted(eventOf(donation))],
  ["emoji, combining marks, other scripts and line separators are accepted", () => JSON.stringify(unicode(eventOf(donation)))],
  ["a body of 20 kB is accepted", () => JSON.stringify(long(eventOf(donation)))],
];

/** The cases after the sound ones. */
export function acceptedCases({ previous }: Secrets): Case[] {
  const ofBodies = bodies.map(([title, body]) => ({ title, deliveries: ({ current }: Secrets) => [delivery([current], body())] }));
  return [...sequences, ...rotations, ...(previous ? previousSecretCases : []), ...ofBodies].map(accepted);
}

/** Sent after everything else: a receiver may have stopped, or locked the sender out. */
export const lastCase: Case = accepted({
  title: "a sound delivery after all others is accepted",
  deliveries: ({ current }) => [delivery([current], bodyOf(donation))],
});

const withSignature = (one: Delivery, change: (signature: string) => string): Delivery => ({
  ...one,
  signature: change(one.signature ?? ""),
});
