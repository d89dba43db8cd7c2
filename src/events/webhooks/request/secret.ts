// Secrets and signatures of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, specification 1.0).

import { createHmac, type KeyObject, randomBytes } from "node:crypto";

const prefix = "whsec_";
const secretBytes = 32;

/** A new secret: 32 random bytes. */
export function newSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** The secret as the receiver gets it. */
export function formatSecret(secret: Buffer): string {
  return prefix + secret.toString("base64");
}

export type Signed = Readonly<{
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}>;

/** The header `webhook-signature`: one signature by each secret. Making a KeyObject costs more than a signature, so it is made once. */
export function signatures(secrets: readonly KeyObject[], { id, timestamp, body }: Signed): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets.map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`).join(" ");
}
