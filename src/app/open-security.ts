// Opens the contract, and what decides who may call it, and how often.

import { openCredentials } from "../auth/credentials.ts";
import type { BatchedReads } from "../db/batched-reads.ts";
import { pools } from "../db/pools.ts";
import { makeSealer, sharedSecret } from "../db/secrets.ts";
import { loadContract } from "../http/contract/contract.ts";
import { cursorCodec } from "../http/cursor.ts";
import { openLimits } from "../http/rate-limits/open-rate-limits.ts";
import { openOAuth } from "../oauth/open-oauth.ts";
import type { AppDeps } from "./app-deps.ts";

export type Security = Awaited<ReturnType<typeof openSecurity>>;

/** `pagesKnex`: the pool of the server's own pages. */
export async function openSecurity({ config, database, log, metrics }: AppDeps, reads: BatchedReads) {
  const { knex } = database;
  const sealer = makeSealer(config.secretKey);
  const credentials = await openCredentials({ config, knex: database.pool(pools.credentials), revocationsKnex: knex, log });
  const cursors = cursorCodec(await sharedSecret(knex, "cursors", sealer));
  const contract = await loadContract();
  const { limits, failures, ready, close: closeLimits } = openLimits({ config, published: contract.limits, log, metrics });
  const codec = cursorCodec(await sharedSecret(knex, "forms", sealer));
  const pagesKnex = database.pool(pools.pages);
  const rotationsKnex = database.pool(pools.rotations);
  const common = { knex, reads, rotationsKnex, pagesKnex, config, log, codec, limits, failures };
  const oauth = openOAuth({ ...common, scopes: contract.scopes, ...credentials });
  await ready;
  return { contract, credentials, cursors, limits, closeLimits, oauth, pagesKnex, sealer };
}
