// All SQL about API keys.

import type { Knex } from "knex";
import { recordAudit } from "../audit/audit-log.ts";
import { newId } from "../db/ids.ts";
import type { Scope } from "../http/operations.ts";
import { makeKey, readKey, recordKeyUses, requireQuota, revokeKey } from "./keys.ts";

export type NewApiKey = { streamerId: string; application: string; name: string; scopes: readonly Scope[]; expiresAt?: Date | undefined };

/** A key as an operator sees it, without its secret. */
export type ApiKeyEntry = {
  id: string;
  publicId: string;
  application: string;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

type StoredApiKey = {
  id: string;
  streamer_id: string;
  application_id: string;
  secret_hash: Buffer;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
};

export type ApiKeys = ReturnType<typeof apiKeyStore>;

export function apiKeyStore(knex: Knex, brand: string) {
  return {
    /** Creates a key in the streamer's named application, which is created when it is new. Returns the key, which is never shown again. Throws TooManyKeys. */
    create: (key: NewApiKey): Promise<string> => createKey(knex, brand, key),

    /** The streamer's keys, oldest first, revoked ones included. */
    list: (streamerId: string): Promise<ApiKeyEntry[]> => listKeys(knex, streamerId),

    /**
     * Revokes a key by its id or public part, and only a key of `streamerId` when that is not null. Every process refuses the key
     * within a second. Returns false when there is no such key or it was revoked before.
     */
    revoke: (idOrPublicId: string, streamerId: string | null = null): Promise<boolean> =>
      revokeKey(knex, "api_key", { idOrPublicId, streamerId }),

    find: (publicId: string): Promise<StoredApiKey | undefined> => findKey(knex, publicId),

    /** Writes when keys were last used, to the minute. */
    recordUses: (minutes: ReadonlyMap<string, Date>): Promise<void> => recordKeyUses(knex, "api_keys", minutes),
  };
}

/** The id of a streamer's named application, which is created when it is new. */
export async function ensureApplication(knex: Knex, streamerId: string, name: string): Promise<string> {
  await knex.raw(
    `insert into applications (id, streamer_id, name) values (?, ?, ?) on conflict (streamer_id, name) where streamer_id is not null do nothing`,
    [newId(), streamerId, name],
  );
  const row = await knex("applications").where({ streamer_id: streamerId, name }).first("id");
  return row.id;
}

async function createKey(knex: Knex, brand: string, { streamerId, application, name, scopes, expiresAt }: NewApiKey): Promise<string> {
  const key = makeKey(brand, "v1");
  const parts = readKey(brand, "v1", key);
  if (!parts) throw new Error("a new key must read back");
  await knex.transaction(async (trx) => {
    await requireQuota(trx, streamerId, { of: "api_keys" });
    const applicationId = await ensureApplication(trx, streamerId, application);
    const id = newId();
    await trx("api_keys").insert({
      id,
      streamer_id: streamerId,
      application_id: applicationId,
      public_id: parts.publicId,
      secret_hash: parts.hash,
      name,
      scopes,
      expires_at: expiresAt ?? null,
    });
    const details = { application: applicationId, scopes, expiresAt: expiresAt?.toISOString() ?? null };
    await recordAudit(trx, { streamerId, action: "api_key.created", target: id, details });
  });
  return key;
}

function listKeys(knex: Knex, streamerId: string): Promise<ApiKeyEntry[]> {
  return knex("api_keys as k")
    .join("applications as a", "a.id", "k.application_id")
    .where("k.streamer_id", streamerId)
    .orderBy(["k.created_at", "k.id"])
    .select({
      id: "k.id",
      publicId: "k.public_id",
      application: "a.name",
      name: "k.name",
      scopes: "k.scopes",
      createdAt: "k.created_at",
      expiresAt: "k.expires_at",
      lastUsedAt: "k.last_used_at",
      revokedAt: "k.revoked_at",
    });
}

function findKey(knex: Knex, publicId: string): Promise<StoredApiKey | undefined> {
  return knex("api_keys")
    .where("public_id", publicId)
    .first("id", "streamer_id", "application_id", "secret_hash", "scopes", "expires_at", "revoked_at");
}

/** The names of API keys by their ids, revoked ones included; only of this streamer's. */
export async function findKeyNames(knex: Knex, streamerId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return namesOf(ids.length === 0 ? [] : await knex("api_keys").where("streamer_id", streamerId).whereIn("id", ids).select("id", "name"));
}

/** The names of applications by their ids. */
export async function findApplicationNames(knex: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return namesOf(ids.length === 0 ? [] : await knex("applications").whereIn("id", ids).select("id", "name"));
}

function namesOf(rows: readonly { id: string; name: string }[]): ReadonlyMap<string, string> {
  return new Map(rows.map(({ id, name }) => [id, name]));
}
