// Deliveries of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, specification 1.0). Written for the suite: it
// shares nothing with the server that sends real ones.

import { createHmac, randomBytes } from "node:crypto";
import { contract, type Schema } from "../suite/contract/contract.ts";
import { shapeOf } from "../suite/contract/shape.ts";
import { sampleOf } from "../suite/models/derive/samples.ts";

/** A request to a receiver. Null: the header is left out. */
export type Delivery = Readonly<{ id: string | null; timestamp: string | null; signature: string | null; body: string }>;

type Signed = Readonly<{ id: string; timestamp: string; body: string }>;

/** `previous`: another secret that the receiver accepts; null: there is none. */
export type Secrets = Readonly<{ current: Buffer; previous: Buffer | null }>;

/** What a delivery is made of; what is left out is that of a new event sent now. */
type Options = Partial<
  Readonly<{
    id: string;
    /** Seconds since it was sent; negative: in the future. */
    age: number;
  }>
>;

/** A delivery with one signature by each secret. */
export function delivery(secrets: readonly Buffer[], body: string, { id = newId(), age = 0 }: Options = {}): Delivery {
  const signed = { id, timestamp: String(Math.floor(Date.now() / 1000) - age), body };
  return { ...signed, signature: secrets.map((secret) => signatureOf(secret, signed)).join(" ") };
}

/** `v1,` and the HMAC in base64. */
export const signatureOf = (secret: Buffer, { id, timestamp, body }: Signed): string =>
  `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`;

/** A secret that no receiver knows. */
export const newSecret = (): Buffer => randomBytes(32);

/** A UUIDv7, as events have. */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** The headers of a delivery, in the order in which they are sent. */
export function headersOf({ id, timestamp, signature }: Delivery, userAgent: string): Record<string, string> {
  const named = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== null);
  return { "Content-Type": "application/json", "User-Agent": userAgent, ...Object.fromEntries(given) };
}

// Events as the contract shows them, marked as tests where they can be: a receiver may act on them.

/** The body of a delivery. */
type Event = { type: string; timestamp: string; data: Record<string, unknown> };

type Schemas = { Event: { anyOf: Schema[] }; EventPage: { examples: { data: Event[] }[] } };

const { schemas } = contract.components as { schemas: Schemas };

/** An event of this type that happened now. */
export function eventOf(type: string): Event {
  const { data } = exampleOf(type) ?? sampled(type);
  const ids = Object.keys(data).filter((name) => name === "id" || name === "donationId");
  const marks = { source: "test", isTest: true, ...statusOf(type), ...Object.fromEntries(ids.map((name) => [name, newId()])) };
  const known = Object.entries(marks).filter(([name]) => name in data);
  return { type, timestamp: new Date().toISOString(), data: { ...data, ...Object.fromEntries(known) } };
}

/** The example of a page of events that has this type. */
function exampleOf(type: string): Event | undefined {
  return schemas.EventPage.examples.flatMap(({ data }) => data).find((event) => event.type === type);
}

function sampled(type: string): Event {
  const variants = schemas.Event.anyOf.map((variant) => shapeOf(variant, contract));
  const variant = variants.find(({ properties }) => typesOf(properties.type).includes(type));
  if (!variant) throw new Error(`the contract has no event of the type ${type}`);
  return sampleOf(variant, 0) as Event;
}

/** The values of a member that is one text or one of several. */
const typesOf = (shape: Shape | undefined): unknown[] => (shape ? [...(shape.enum ?? []), ...shape.union.flatMap(typesOf)] : []);

type Shape = ReturnType<typeof shapeOf>;

/** The status that an alert has since its event, and why. */
function statusOf(type: string): object {
  const [subject, happened = ""] = type.split(".");
  if (subject !== "alert") return {};
  return statusAfter[happened] ?? { status: happened, reason: null };
}

/** The status of an alert after an event that does not have its name: an own statement of the interface, since the suite reads nothing of `src/`. */
const statusAfter: Readonly<Record<string, { status: string; reason: string | null }>> = {
  started: { status: "playing", reason: null },
  held: { status: "queued", reason: null },
  approved: { status: "queued", reason: null },
  denied: { status: "skipped", reason: "denied" },
  skipped: { status: "skipped", reason: "control" },
};

// Bodies that a receiver must accept, and that simple ones do not expect.

const bytes = 20_480;

/** Members that a later version of the contract may add. */
export const withUnknownMembers = (event: Event): object => ({
  ...event,
  data: { ...event.data, addedLater: { nested: [1, null, "x"] } },
  addedLater: true,
});

/** The same event in a notation that no usual writer repeats: uneven spaces, escaped letters, and 100.50 where they would write 100.5. */
export function formatted({ type, timestamp, data }: Event): string {
  const [first = "", ...others] = Object.entries({ ...data, amount: 100.5 }).map(([name, value]) =>
    name === "amount" ? `"amount":100.50` : `${JSON.stringify(name)} :${escaped(JSON.stringify(value))}`,
  );
  return `{ "type":${JSON.stringify(type)},\n  "timestamp" : "${timestamp}","data":{${[first, ...others].join(" , ")}}  }`;
}

/** Every other letter beyond ASCII as an escape. */
function escaped(json: string): string {
  let count = 0;
  return json.replace(/[\u0080-\uFFFF]/g, (unit) => (count++ % 2 === 0 ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

/** The event with texts that go wrong where bytes are taken for characters, or where text becomes HTML. */
export const unicode = (event: Event): Event => ({
  ...event,
  data: {
    ...event.data,
    donatorName: "สุดา 👩‍👩‍👧‍👦 𝒜é 𠮷 \u202Eabc\u202C",
    message: 'กำลังใจ น้ำใจ\u2028\u2029\uFEFF\uFFFD "quoted" \\ / </script>\n\t\u0001 مرحبا 🇹🇭 e\u0301 ﷽',
  },
});

/** The event with a body of 20 kB in an unknown member. */
export function long(event: Event): object {
  const filler = "น้ำใจ ".repeat(bytes);
  const empty = Buffer.byteLength(JSON.stringify({ ...event, addedLater: "" }));
  const characters = Math.floor(((bytes - empty) / Buffer.byteLength(filler)) * filler.length);
  return { ...event, addedLater: filler.slice(0, characters) };
}
