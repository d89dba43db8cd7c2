// The keys that sign access tokens. All processes share them through the database; a command rotates them.

import { createPrivateKey, type KeyObject } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from "jose";
import type { Knex } from "knex";
import { recordAudit } from "../audit/audit-log.ts";
import type { Sealer } from "../db/secrets.ts";
import { accessTokenLifetime, raiseCredentialVersion } from "./revocations.ts";

type PublicJwk = { kty: "EC"; crv: "P-256"; x: string; y: string; kid: string; use: "sig"; alg: "ES256" };
type SigningKey = Readonly<{ kid: string; privateKey: KeyObject }>;

export type SigningKeys = {
  /** The newest key. */
  current: () => SigningKey;
  /** The public key of a token's `kid`; null for a `kid` that no process has created. */
  findPublicKey: (kid: string) => Promise<CryptoKey | KeyObject | Uint8Array | null>;
  /** The keys of the JWKS, including a retired key for as long as a token that it signed may be valid. */
  publicKeys: () => readonly PublicJwk[];
  reload: () => Promise<void>;
};

type Row = { kid: string; private_key: Buffer; public_jwk: PublicJwk; retired_at: Date | null };

/** The shortest time between two reloads, so that requests with made-up key ids cannot make this process read the table all the time. */
const minReloadIntervalMs = 100;

/** Loads the keys, and creates the first one in an empty database. */
export async function loadSigningKeys(knex: Knex, sealer: Sealer): Promise<SigningKeys> {
  let rows: Row[] = [];
  let current: SigningKey;
  let publicKeys = new Map<string, CryptoKey | KeyObject | Uint8Array>();
  let reloadedAt = 0;
  let pendingReload: Promise<void> | null = null;

  const reload = async () => {
    reloadedAt = performance.now();
    rows = await readRows(knex);
    const newest = rows.find(({ retired_at }) => retired_at === null);
    if (!newest) throw new Error("there is no signing key");
    current = { kid: newest.kid, privateKey: createPrivateKey({ key: sealer.open(newest.private_key), format: "der", type: "pkcs8" }) };
    publicKeys = new Map(await Promise.all(rows.map(async ({ kid, public_jwk }) => [kid, await importJWK(public_jwk, "ES256")] as const)));
  };

  /** One reload for all callers that wait for it, so it begins after the last of them called. */
  const reloadSoon = async () => {
    await sleep(Math.max(0, reloadedAt + minReloadIntervalMs - performance.now())); // Node warns about a negative delay
    pendingReload = null;
    await reload();
  };

  await ensureFirstKey(knex, sealer);
  await reload();
  return {
    current: () => current,
    publicKeys: () => rows.map(({ public_jwk }) => public_jwk),
    findPublicKey: async (kid) => {
      // Another process may have rotated the keys a moment ago.
      if (!publicKeys.has(kid)) await (pendingReload ??= reloadSoon());
      return publicKeys.get(kid) ?? null;
    },
    reload,
  };
}

/** Creates a new key and retires the others. Returns the new key's kid. */
export async function rotateSigningKeys(knex: Knex, sealer: Sealer): Promise<string> {
  const key = await makeKey(sealer);
  await knex.transaction(async (trx) => {
    await trx("signing_keys").whereNull("retired_at").update({ retired_at: trx.fn.now() });
    await trx("signing_keys").insert(key);
    await raiseCredentialVersion(trx);
    await recordAudit(trx, { streamerId: null, action: "signing_key.rotated", target: key.kid });
  });
  return key.kid;
}

async function ensureFirstKey(knex: Knex, sealer: Sealer): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw("lock table signing_keys in share row exclusive mode"); // several processes may start at once
    const current = await trx("signing_keys").whereNull("retired_at").first("kid");
    if (!current) await trx("signing_keys").insert(await makeKey(sealer));
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
