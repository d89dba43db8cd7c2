// Secrets that all processes on one database share.

import { randomBytes } from "node:crypto";
import type { Knex } from "knex";

/** 32 random bytes under a name; whoever asks first makes them. */
export async function sharedSecret(knex: Knex, name: string): Promise<Buffer> {
  await knex("shared_secrets")
    .insert({ name, value: randomBytes(32) })
    .onConflict("name")
    .ignore();
  const row = await knex("shared_secrets").where({ name }).first("value");
  return row.value;
}
