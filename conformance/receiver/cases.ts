// The deliveries that a receiver must accept, and those that it must refuse.

import { eventTypes } from "../suite/contract/contract.ts";
import {
  type Delivery,
  delivery,
  eventOf,
  formatted,
  long,
  newId,
  newSecret,
  type Secrets,
  signatureOf,
  unicode,
  withUnknownMembers,
} from "./deliveries.ts";

/** What a receiver must do with each delivery of a case. */
export type Expected = "accepted" | "refused";

/** Deliveries that are sent one after the other. */
export type Case = Readonly<{
  /** Understood alone in a report; no two are the same. */
  title: string;
  expected: Expected;
  /** Made anew each time, because a delivery is stale after some minutes. */
  deliveries: (secrets: Secrets) => Delivery[];
  /** What an answer does not show, in words for the receiver's author. */
  advice?: string;
}>;

// What every receiver must answer with a status from 200 to 299.

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

// What no receiver may answer with a status from 200 to 299: a sound delivery with one thing wrong.

/** A delivery as it was signed. */
type Sound = Readonly<Record<keyof Delivery, string>>;

/** What is wrong, and the members that are wrong. */
type Mistake = readonly [title: string, change: (sound: Sound, secret: Buffer) => Partial<Delivery>];

const tenMinutes = 600;

const stale: readonly Mistake[] = [
  ["a timestamp of 10 minutes ago is refused", (sound, secret) => at(sound, secret, tenMinutes)],
  ["a timestamp in 10 minutes is refused", (sound, secret) => at(sound, secret, -tenMinutes)],
  ["a timestamp that is no number is refused", ({ body, id }, secret) => resigned({ id, timestamp: "now", body }, secret)],
];

const tampered: readonly Mistake[] = [
  ["a body that was changed after it was signed is refused", ({ body }) => ({ body: body.replace('"donatorName":"', '"donatorName":"x') })],
  ["a body to which a space was added after it was signed is refused", ({ body }) => ({ body: `${body} ` })],
  ["an id that was changed after it was signed is refused", () => ({ id: newId() })],
  [
    "a timestamp that was changed after it was signed is refused: an old delivery sent again as a new one",
    (sound, secret) => ({ signature: at(sound, secret, tenMinutes).signature }),
  ],
];

const missing: readonly Mistake[] = [
  ["a delivery without webhook-id is refused", () => ({ id: null })],
  ["a delivery without webhook-timestamp is refused", () => ({ timestamp: null })],
  ["a delivery without webhook-signature is refused", () => ({ signature: null })],
  ["a delivery without any of the three headers is refused", () => ({ id: null, timestamp: null, signature: null })],
];

const wronglySigned: readonly Mistake[] = [
  ["a signature by another secret is refused", (sound) => ({ signature: signatureOf(newSecret(), sound) })],
  ["two signatures by other secrets are refused", (sound) => ({ signature: bothOf(() => signatureOf(newSecret(), sound)) })],
  ["a signature of the version v1a alone is refused", ({ signature }) => ({ signature: signature.replace("v1,", "v1a,") })],
  ["a signature without its version is refused", ({ signature }) => ({ signature: signature.replace("v1,", "") })],
  ["an empty webhook-signature is refused", () => ({ signature: "" })],
  ["a signature with nothing after its version is refused", () => ({ signature: "v1," })],
  ["the first half of a signature is refused", ({ signature }) => ({ signature: signature.slice(0, "v1,".length + 22) })],
  ["a signature without its last four characters is refused", ({ signature }) => ({ signature: signature.slice(0, -4) })],
  ["a signature whose first character differs is refused", ({ signature }) => ({ signature: withOtherFirst(signature) })],
];

export const refusedCases: readonly Case[] = [...stale, ...tampered, ...missing, ...wronglySigned].map(([title, change]) => ({
  title,
  expected: "refused",
  deliveries: ({ current }: Secrets) => {
    const sound = delivery([current], JSON.stringify(eventOf("donation.created"))) as Sound;
    return [{ ...sound, ...change(sound, current) }];
  },
}));

/** The same delivery, sent and signed so many seconds ago. */
function at({ id, body }: Sound, secret: Buffer, age: number): Delivery {
  return delivery([secret], body, { id, age });
}

const resigned = (signed: Omit<Sound, "signature">, secret: Buffer): Delivery => ({ ...signed, signature: signatureOf(secret, signed) });

const bothOf = (make: () => string): string => `${make()} ${make()}`;

const withOtherFirst = (signature: string): string => signature.replace(/^v1,(.)/, (_, first) => `v1,${first === "A" ? "B" : "A"}`);
