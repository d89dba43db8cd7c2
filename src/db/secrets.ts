// Secrets that all processes on one database share, encrypted at rest when the operator sets SECRET_KEY.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Knex } from "knex";

export type Sealer = Readonly<{
  seal: (secret: Buffer) => Buffer;
  /** Throws an Error that tells the operator about SECRET_KEY when it does not fit. */
  open: (stored: Buffer) => Buffer;
}>;

const plain = 0;
const encrypted = 1;

/** AES-256-GCM with a key derived from `secretKey`; without one, secrets are stored as they are. */
export function makeSealer(secretKey: string | null): Sealer {
  const key = secretKey === null ? null : Buffer.from(hkdfSync("sha256", secretKey, "", "namjai shared secrets", 32));
  return {
    seal: (secret) => (key ? encrypt(key, secret) : Buffer.concat([Buffer.of(plain), secret])),
    open: (stored) => {
      if (stored[0] === plain) return stored.subarray(1);
      if (!key) throw new Error("the database's secrets are encrypted: set the SECRET_KEY with which they were encrypted");
      return decrypt(key, stored);
    },
  };
}

/** Reads the 32 random bytes with this name, and creates them when there are none. */
export async function sharedSecret(knex: Knex, name: string, sealer: Sealer): Promise<Buffer> {
  await knex("shared_secrets")
    .insert({ name, value: sealer.seal(randomBytes(32)) })
    .onConflict("name")
    .ignore();
  const row = await knex("shared_secrets").where({ name }).first("value");
  return sealer.open(row.value);
}

function encrypt(key: Buffer, secret: Buffer): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv);
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(encrypted), iv, cipher.getAuthTag(), text]);
}

function decrypt(key: Buffer, stored: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, stored.subarray(1, 13));
  decipher.setAuthTag(stored.subarray(13, 29));
  try {
    return Buffer.concat([decipher.update(stored.subarray(29)), decipher.final()]);
  } catch (cause) {
    throw new Error("SECRET_KEY is not the one with which the database's secrets were encrypted", { cause });
  }
}
