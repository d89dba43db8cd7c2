// What no receiver may answer with a status from 200 to 299: a sound delivery with one thing wrong.

import type { Case } from "./case.ts";
import { type Delivery, delivery, newId, newSecret, type Secrets, signatureOf } from "./delivery.ts";
import { eventOf } from "./events.ts";

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
