// The keys that sign access tokens: shared by all processes through the database, rotated by a command.

import { createPrivateKey, type KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import type { Knex } from "knex";
import type { Sealer } from "../db/secrets.ts";
import { accessTokenLifetime } from "./denials.ts";
import { raiseCredentialVersion } from "./revocation-feed.ts";

export type PublicJwk = { kty: "EC"; crv: "P-256"; x: string; y: string; kid: string; use: "sig"; alg: "ES256" };
export type SigningKey = Readonly<{ kid: string; privateKey: KeyObject }>;

export type SigningKeys = {
  /** The newest key. */
  current: () => SigningKey;
  /** The public key of a token's `kid`; null for one that no process has made. */
  verifying: (kid: string) => Promise<CryptoKey | KeyObject | Uint8Array | null>;
  /** What the JWKS shows: retired keys too, as long as their last token may live. */
  published: () => readonly PublicJwk[];
  reload: () => Promise<void>;
};

type Row = { kid: string; private_key: Buffer; public_jwk: PublicJwk; retired_at: Date | null };

/** Strangers' key ids must not make us read the table all the time. */
const pauseMs = 100;

/** Loads the keys; makes the first one on a fresh database. */
export async function loadSigningKeys(knex: Knex, sealer: Sealer): Promise<SigningKeys> {
  let rows: Row[] = [];
  let current: SigningKey;
  let verifying = new Map<string, CryptoKey | KeyObject | Uint8Array>();
  let reloadedAt = 0;
  let soon: Promise<void> | null = null;

  const reload = async () => {
    reloadedAt = performance.now();
    rows = await readRows(knex);
    const newest = rows.find(({ retired_at }) => retired_at === null);
    if (!newest) throw new Error("there is no signing key");
    current = { kid: newest.kid, privateKey: createPrivateKey({ key: sealer.open(newest.private_key), format: "der", type: "pkcs8" }) };
    verifying = new Map(await Promise.all(rows.map(async ({ kid, public_jwk }) => [kid, await importJWK(public_jwk, "ES256")] as const)));
  };

  /** One reload for all who wait for one, begun after the last of them came. */
  const reloadSoon = async () => {
    await sleep(Math.max(0, reloadedAt + pauseMs - performance.now())); // Node warns of a negative time
    soon = null;
    await reload();
  };

  await ensureFirst(knex, sealer);
  await reload();
  return {
    current: () => current,
    published: () => rows.map(({ public_jwk }) => public_jwk),
    verifying: async (kid) => {
      // Another process may have rotated a moment ago.
      if (!verifying.has(kid)) await (soon ??= reloadSoon());
      return verifying.get(kid) ?? null;
    },
    reload,
  };
}

/** Makes a new key and retires the others. Returns its kid. */
export async function rotateSigningKeys(knex: Knex, sealer: Sealer): Promise<string> {
  const key = await makeKey(sealer);
  await knex.transaction(async (trx) => {
    await trx("signing_keys").whereNull("retired_at").update({ retired_at: trx.fn.now() });
    await trx("signing_keys").insert(key);
    await raiseCredentialVersion(trx);
  });
  return key.kid;
}

async function ensureFirst(knex: Knex, sealer: Sealer): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw("lock table signing_keys in share row exclusive mode"); // several processes may start at once
    const found = await trx("signing_keys").whereNull("retired_at").first("kid");
    if (!found) await trx("signing_keys").insert(await makeKey(sealer));
  });
}

function readRows(knex: Knex): Promise<Row[]> {
  return knex("signing_keys")
    .whereNull("retired_at")
    .orWhereRaw("retired_at > now() - ? * interval '1 second'", [accessTokenLifetime * 2])
    .orderBy("created_at", "desc")
    .select("kid", "private_key", "public_jwk", "retired_at");
}

async function makeKey(sealer: Sealer) {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const { x = "", y = "" } = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint({ kty: "EC", crv: "P-256", x, y });
  const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey));
  const publicJwk: PublicJwk = { kty: "EC", crv: "P-256", x, y, kid, use: "sig", alg: "ES256" };
  return { kid, private_key: sealer.seal(der), public_jwk: JSON.stringify(publicJwk) };
}
