// Deliveries of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, specification 1.0). Written for the suite: it
// shares nothing with the server that sends real ones.

import { createHmac, randomBytes } from "node:crypto";

/** A request to a receiver. Null: the header is left out. */
export type Delivery = Readonly<{ id: string | null; timestamp: string | null; signature: string | null; body: string }>;

export type Signed = Readonly<{ id: string; timestamp: string; body: string }>;

/** `previous`: another secret that the receiver accepts; null: there is none. */
export type Secrets = Readonly<{ current: Buffer; previous: Buffer | null }>;

/** What a delivery is made of; what is left out is that of a new event sent now. */
export type Options = Partial<
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
