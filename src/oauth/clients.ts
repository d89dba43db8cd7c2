// All SQL about client applications.

import { hash, timingSafeEqual } from "node:crypto";
import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import type { Denials } from "../auth/denials.ts";
import { randomBase62 } from "../auth/key-text.ts";
import type { Scope } from "../http/operations.ts";
import { requireRedirectUri } from "./redirect-uris.ts";

export type OAuthClient = Readonly<{
  id: string;
  /** The scope of its idempotency keys. */
  applicationId: string;
  name: string;
  /** Keeps no secret (RFC 6749 2.1). */
  public: boolean;
  redirectUris: readonly string[];
  scopes: readonly Scope[];
}>;

/** What a client is before it has an application. */
export type ClientFacts = Omit<OAuthClient, "applicationId">;

export type NewClient = Omit<ClientFacts, "id">;

/** A client as an operator sees it: never a secret. */
export type ClientEntry = OAuthClient & Readonly<{ createdAt: Date; removedAt: Date | null; secrets: number }>;

export type ClientStore = ReturnType<typeof clientStore>;

const idLength = 16;
const secretLength = 32;
const activeSecrets = 2;
// A statement takes 65,535 bindings at most.
const denialsAtOnce = 10_000;

export function clientStore(knex: Knex) {
  return {
    /** Registers a client. Its secret is seen here only; a public client has none. Throws an Error that names a broken rule. */
    create: async (client: NewClient): Promise<{ clientId: string; clientSecret: string | null }> => {
      requireSound(client);
      const clientId = randomBase62(idLength);
      const clientSecret = client.public ? null : randomBase62(secretLength);
      await knex.transaction(async (trx) => {
        await insertClient(trx, clientId, client);
        if (clientSecret) await insertSecret(trx, clientId, clientSecret);
      });
      return { clientId, clientSecret };
    },

    /** All clients, oldest first, removed ones included. */
    list: (): Promise<ClientEntry[]> =>
      clients(knex)
        .orderBy(["c.created_at", "c.id"])
        .select({ createdAt: "c.created_at", removedAt: "c.removed_at" })
        .select(knex.raw("(select count(*) from oauth_client_secrets s where s.client_id = c.id) as secrets")),

    /** Null: unknown, or removed. */
    find: async (clientId: string): Promise<OAuthClient | null> =>
      (await clients(knex).where("c.id", clientId).whereNull("c.removed_at").first()) ?? null,

    /** Whether the operator has removed it. */
    isRemoved: async (clientId: string): Promise<boolean> =>
      (await knex("oauth_clients").where({ id: clientId }).whereNotNull("removed_at").first("id")) !== undefined,

    /** Registers a public client under an id of its own choice, or notes what has changed about it. A removed one stays removed. */
    admit: (client: ClientFacts): Promise<void> =>
      knex.transaction(async (trx) => {
        requireSound(client);
        await trx.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [client.id]); // there is no row yet that could be locked
        const known = await trx("oauth_clients").where({ id: client.id }).first("application_id");
        if (!known) return insertClient(trx, client.id, client);
        await trx("applications").where({ id: known.application_id }).update({ name: client.name });
        await trx("oauth_clients").where({ id: client.id }).update({ redirect_uris: client.redirectUris, scopes: client.scopes });
      }),

    /** Whether this is one of the client's secrets. */
    verifySecret: async (clientId: string, secret: string): Promise<boolean> => {
      const given = digest(secret);
      const hashes: Buffer[] = await knex("oauth_client_secrets").where({ client_id: clientId }).pluck("hash");
      return hashes.filter((known) => timingSafeEqual(known, given)).length > 0;
    },

    /** Adds a secret and returns it; the one before it stays good, older ones go. */
    rotate: async (clientId: string): Promise<string> => {
      const secret = randomBase62(secretLength);
      await knex.transaction(async (trx) => {
        await lockConfidential(trx, clientId);
        await insertSecret(trx, clientId, secret);
        await dropOldSecrets(trx, clientId);
      });
      return secret;
    },

    /** Removes a client and revokes all its grants. False: no such client, or already removed. */
    remove: (clientId: string, denials: Pick<Denials, "deny">): Promise<boolean> =>
      knex.transaction(async (trx) => {
        const removed = await trx("oauth_clients").where({ id: clientId }).whereNull("removed_at").update({ removed_at: trx.fn.now() });
        const grants = await trx("oauth_grants")
          .where({ client_id: clientId })
          .whereNull("revoked_at")
          .update({ revoked_at: trx.fn.now() }, ["id"]);
        const ids = grants.map(({ id }) => id as string);
        for (let i = 0; i < ids.length; i += denialsAtOnce) await denials.deny(ids.slice(i, i + denialsAtOnce), trx);
        return removed > 0;
      }),
  };
}

function clients(knex: Knex) {
  return knex("oauth_clients as c").join("applications as a", "a.id", "c.application_id").select({
    id: "c.id",
    applicationId: "c.application_id",
    name: "a.name",
    public: "c.public",
    redirectUris: "c.redirect_uris",
    scopes: "c.scopes",
  });
}

function requireSound(client: NewClient): void {
  if (client.name.trim() === "") throw new Error("a client needs a name, which streamers see when they are asked");
  if (client.scopes.length === 0) throw new Error("a client needs at least one scope");
  if (client.redirectUris.length === 0) throw new Error("a client needs at least one redirect URI (RFC 6749 3.1.2.2)");
  for (const uri of client.redirectUris) requireRedirectUri(uri, client);
}

async function insertClient(trx: Knex, id: string, { name, public: isPublic, redirectUris, scopes }: NewClient): Promise<void> {
  const applicationId = uuidv7();
  await trx("applications").insert({ id: applicationId, streamer_id: null, name });
  await trx("oauth_clients").insert({
    id,
    application_id: applicationId,
    public: isPublic,
    redirect_uris: [...new Set(redirectUris)],
    scopes: [...new Set(scopes)],
  });
}

async function insertSecret(trx: Knex, clientId: string, secret: string): Promise<void> {
  // Not now(): that is when the transaction began, and it may have waited for another rotation.
  await trx("oauth_client_secrets").insert({ client_id: clientId, hash: digest(secret), created_at: trx.raw("clock_timestamp()") });
}

/** Rotations of one client take turns. */
async function lockConfidential(trx: Knex, clientId: string): Promise<void> {
  const client = await trx("oauth_clients").where({ id: clientId }).whereNull("removed_at").forUpdate().first("public");
  if (!client) throw new Error(`there is no client ${clientId}`);
  if (client.public) throw new Error("a public client has no secret (RFC 6749 2.1)");
}

async function dropOldSecrets(trx: Knex, clientId: string): Promise<void> {
  const newest = trx("oauth_client_secrets")
    .where({ client_id: clientId })
    .orderBy("created_at", "desc")
    .limit(activeSecrets)
    .select("hash");
  await trx("oauth_client_secrets").where({ client_id: clientId }).whereNotIn("hash", newest).delete();
}

function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
