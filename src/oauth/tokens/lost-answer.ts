// Finds out whether a new refresh token was stored when the answer to its commit was lost: a client that is told that nothing was recorded
// repeats its request, and repeating one that was recorded revokes the grant.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { resultWithin } from "../../base/async.ts";
import { Problem } from "../../http/problem.ts";

const lookUpMs = 2_000;
const pauseMs = 100;

/** Resolves when the token with this SHA-256 is stored. Throws internal_error when that is not known within two seconds. */
export async function requireStored(knex: Knex, hash: Buffer, cause: unknown): Promise<void> {
  const deadline = performance.now() + lookUpMs;
  for (let leftMs = lookUpMs; leftMs > 0; leftMs = deadline - performance.now()) {
    if (await resultWithin(leftMs, isStored(knex, hash))) return;
    await sleep(pauseMs); // its transaction may still be committing
  }
  throw new Problem("internal_error", "The outcome is unknown: the code or refresh token may have been used.", { cause });
}

async function isStored(knex: Knex, hash: Buffer): Promise<boolean> {
  try {
    return (await knex("oauth_refresh_tokens").where({ hash }).first("hash")) !== undefined;
  } catch {
    return false;
  }
}
