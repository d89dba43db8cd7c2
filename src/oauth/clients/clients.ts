// All SQL about OAuth clients and their secrets.

import { hash, timingSafeEqual } from "node:crypto";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { randomBase62, requireQuota } from "../../auth/keys.ts";
import type { Denials } from "../../auth/revocations.ts";
import { lockByName } from "../../db/advisory-lock.ts";
import { type BatchedReads, batchedReads } from "../../db/batched-reads.ts";
import { newId } from "../../db/ids.ts";
import type { Scope } from "../../http/operations.ts";
import { redirectHost, requireRedirectUri } from "./redirect-uris.ts";

export type OAuthClient = Readonly<{
  id: string;
  /** The application within which its idempotency keys are unique. */
  applicationId: string;
  name: string;
  /** A public client can't keep a secret (RFC 6749 2.1). */
  public: boolean;
  redirectUris: readonly string[];
  scopes: readonly Scope[];
}>;

export type ClientWithSecrets = Readonly<{ client: OAuthClient; secretHashes: readonly Buffer[] }>;

type Found = ClientWithSecrets & Readonly<{ client: OAuthClient & Registration }>;

/**
 * `registeredBy`: handle of the streamer who registered the client; null for clients of the operator, those described by a document, and those
 * that registered themselves.
 */
type Registration = Readonly<{ registeredBy: string | null; selfRegistered: boolean }>;

/** A client that may not be registered yet, and so has no application. */
export type ClientFacts = Omit<OAuthClient, "applicationId"> & Registration;

export type NewClient = Omit<OAuthClient, "id" | "applicationId">;

/** A client as an operator sees it, without its secrets but with their number. */
type ClientEntry = OAuthClient &
  Registration &
  Readonly<{ createdAt: Date; expiresAt: Date | null; removedAt: Date | null; secrets: number }>;

/** What a client authenticates with; a public client has no secret. */
export type NewCredentials = Readonly<{ clientId: string; clientSecret: string | null }>;

export type ClientStore = ReturnType<typeof clientStore>;

const idLength = 16;
const secretLength = 32;
const activeSecrets = 2;
// A PostgreSQL statement takes at most 65,535 bindings.
const denialBatchSize = 10_000;

export function clientStore(knex: Knex, reads: BatchedReads = batchedReads(knex)) {
  return {
    /**
     * Registers a client. `ownerId`: of the streamer who registers it; null: the operator. Its secret is returned only here; a public client
     * has none. Throws an Error that names the broken rule, and TooManyKeys for a streamer who has too many.
     */
    create: (client: NewClient, ownerId: string | null = null): Promise<NewCredentials> => createClient(knex, client, ownerId),

    /** Registers a public client that asked for it itself (RFC 7591). Returns its id. */
    registerItself: (client: NewClient): Promise<string> => registerItself(knex, client),

    /** Keeps a client that registered itself: a streamer approves it. */
    keep: async (clientId: string): Promise<void> =>
      void (await knex("oauth_clients").where({ id: clientId }).update({ expires_at: null })),

    /** All clients, oldest first, removed ones included. */
    list: (): Promise<ClientEntry[]> => listClients(knex),

    /** Null when the client is unknown or removed. */
    find: async (clientId: string): Promise<(OAuthClient & Registration) | null> =>
      (await findWithSecrets(reads, clientId))?.client ?? null,

    /** The client with the SHA-256 hashes of its secrets; null when it is unknown or removed. */
    findWithSecrets: (clientId: string): Promise<Found | null> => findWithSecrets(reads, clientId),

    /** Whether the operator removed the client. */
    isRemoved: async (clientId: string): Promise<boolean> =>
      (await knex("oauth_clients").where({ id: clientId }).whereNotNull("removed_at").first("id")) !== undefined,

    /** Registers a public client under the id that it chose itself, or updates its name, redirect URIs and scopes. A removed client stays removed. */
    upsert: (client: ClientFacts): Promise<void> => knex.transaction((trx) => upsertClient(trx, client)),

    /** Adds a secret and returns it. The previous secret keeps working, older ones are deleted. */
    rotate: (clientId: string): Promise<string> => knex.transaction((trx) => rotateSecret(trx, clientId)),

    /** The same, unless the newest secret is no longer the one that was made at `since`: null. */
    rotateNewest: (clientId: string, since: Date): Promise<string | null> => knex.transaction((trx) => rotateNewest(trx, clientId, since)),

    /** Removes a client and revokes all its grants. Returns false when there is no such client or it was removed before. */
    remove: (clientId: string, denials: Denials): Promise<boolean> => knex.transaction((trx) => removeClient(trx, clientId, denials)),
  };
}

async function createClient(knex: Knex, client: NewClient, ownerId: string | null): Promise<NewCredentials> {
  requireValid(client);
  const clientId = randomBase62(idLength);
  const clientSecret = client.public ? null : randomBase62(secretLength);
  await knex.transaction(async (trx) => {
    if (ownerId !== null) await requireQuota(trx, ownerId, { of: "oauth_clients" });
    await insertClient(trx, clientId, { ...client, ownerId });
    if (clientSecret) await insertSecret(trx, clientId, clientSecret);
    const details = { public: client.public, scopes: client.scopes, redirectUris: client.redirectUris };
    await recordAudit(trx, { streamerId: ownerId, action: "client.created", target: clientId, details });
  });
  return { clientId, clientSecret };
}

async function registerItself(knex: Knex, client: NewClient): Promise<string> {
  requireValid(client);
  const clientId = randomBase62(idLength);
  await knex.transaction(async (trx) => {
    await insertClient(trx, clientId, { ...client, ownerId: null });
    const unused = { self_registered: true, expires_at: trx.raw("now() + interval '1 day'") };
    await trx("oauth_clients").where({ id: clientId }).update(unused);
    // The log is kept, and anybody can write here: 20 addresses of 2,000 characters would be 40 KB of it.
    const hosts = [...new Set(client.redirectUris.map((uri) => redirectHost(uri).name))];
    const details = { public: true, selfRegistered: true, scopes: client.scopes, hosts };
    await recordAudit(trx, { streamerId: null, action: "client.created", target: clientId, details });
  });
  return clientId;
}

function listClients(knex: Knex): Promise<ClientEntry[]> {
  return selectClients(knex)
    .orderBy(["c.created_at", "c.id"])
    .select({ createdAt: "c.created_at", expiresAt: "c.expires_at", removedAt: "c.removed_at" })
    .select(knex.raw("(select count(*) from oauth_client_secrets s where s.client_id = c.id) as secrets"));
}

async function upsertClient(trx: Knex, client: ClientFacts): Promise<void> {
  requireValid(client);
  await lockByName(trx, client.id);
  const known = await trx("oauth_clients").where({ id: client.id }).first("application_id");
  if (!known) return insertClient(trx, client.id, { ...client, ownerId: null });
  await trx("applications").where({ id: known.application_id }).update({ name: client.name });
  await trx("oauth_clients").where({ id: client.id }).update({ redirect_uris: client.redirectUris, scopes: client.scopes });
}

/** Select list over `oauth_clients c join applications a`. */
export const selectedClient = `c.id, c.application_id as "applicationId", a.name, c.public, c.redirect_uris as "redirectUris", c.scopes,
  array(select s.hash from oauth_client_secrets s where s.client_id = c.id) as "secretHashes"`;

/** A client that was removed, or that registered itself and was not approved in time, is unknown. */
export const isKnownClient = "c.removed_at is null and (c.expires_at is null or c.expires_at > now())";

async function findWithSecrets(reads: BatchedReads, clientId: string): Promise<Found | null> {
  const [row] = await reads<OAuthClient & Registration & { secretHashes: Buffer[]; call: number }>(
    (bind) =>
      `select ${selectedClient}, o.handle as "registeredBy", c.self_registered as "selfRegistered"
       from oauth_clients c join applications a on a.id = c.application_id left join streamer_handles o on o.streamer_id = c.owner_id
       where c.id = ${bind(clientId, "text")} and ${isKnownClient}`,
  );
  if (!row) return null;
  const { secretHashes, call: _, ...client } = row;
  return { client, secretHashes };
}

/** Whether this is one of the client's secrets, in constant time. */
export function isSecretOf({ secretHashes }: ClientWithSecrets, secret: string): boolean {
  const sent = digest(secret);
  return secretHashes.filter((known) => timingSafeEqual(known, sent)).length > 0;
}

async function rotateSecret(trx: Knex, clientId: string): Promise<string> {
  const secret = randomBase62(secretLength);
  const streamerId = await lockConfidential(trx, clientId);
  await insertSecret(trx, clientId, secret);
  await deleteOldSecrets(trx, clientId);
  await recordAudit(trx, { streamerId, action: "client.secret_rotated", target: clientId });
  return secret;
}

async function rotateNewest(trx: Knex, clientId: string, since: Date): Promise<string | null> {
  await lockConfidential(trx, clientId);
  const newest = await trx("oauth_client_secrets").where({ client_id: clientId }).max({ since: "created_at" }).first();
  return newest?.since?.getTime() === since.getTime() ? rotateSecret(trx, clientId) : null;
}

async function removeClient(trx: Knex, clientId: string, denials: Denials): Promise<boolean> {
  const [removed] = await trx("oauth_clients")
    .where({ id: clientId })
    .whereNull("removed_at")
    .update({ removed_at: trx.fn.now() }, ["owner_id"]);
  const grants = await trx("oauth_grants")
    .where({ client_id: clientId })
    .whereNull("revoked_at")
    .update({ revoked_at: trx.fn.now() }, ["id"]);
  const ids = grants.map(({ id }) => id as string);
  for (let i = 0; i < ids.length; i += denialBatchSize) await denials.deny(ids.slice(i, i + denialBatchSize), trx);
  const streamerId: string | null = removed?.owner_id ?? null;
  if (removed) await recordAudit(trx, { streamerId, action: "client.removed", target: clientId, details: { grants: ids.length } });
  return removed !== undefined;
}

function selectClients(knex: Knex) {
  return knex("oauth_clients as c")
    .join("applications as a", "a.id", "c.application_id")
    .leftJoin("streamer_handles as o", "o.streamer_id", "c.owner_id")
    .select({
      id: "c.id",
      applicationId: "c.application_id",
      name: "a.name",
      public: "c.public",
      redirectUris: "c.redirect_uris",
      scopes: "c.scopes",
      registeredBy: "o.handle",
      selfRegistered: "c.self_registered",
    });
}

function requireValid(client: NewClient): void {
  if (client.name.trim() === "") throw new Error("a client needs a name, which streamers see when they approve it");
  if (client.scopes.length === 0) throw new Error("a client needs at least one scope");
  if (client.redirectUris.length === 0) throw new Error("a client needs at least one redirect URI (RFC 6749 3.1.2.2)");
  for (const uri of client.redirectUris) requireRedirectUri(uri, client);
}

type InsertedClient = NewClient & { ownerId: string | null };

async function insertClient(trx: Knex, id: string, client: InsertedClient): Promise<void> {
  const { name, public: isPublic, redirectUris, scopes, ownerId } = client;
  const applicationId = newId();
  await trx("applications").insert({ id: applicationId, streamer_id: null, name });
  await trx("oauth_clients").insert({
    id,
    application_id: applicationId,
    public: isPublic,
    redirect_uris: [...new Set(redirectUris)],
    scopes: [...new Set(scopes)],
    owner_id: ownerId,
  });
}

async function insertSecret(trx: Knex, clientId: string, secret: string): Promise<void> {
  // Not now(), which is the start of the transaction: it may have waited for another rotation since.
  await trx("oauth_client_secrets").insert({ client_id: clientId, hash: digest(secret), created_at: trx.raw("clock_timestamp()") });
}

/** Locks the client's row, so that concurrent rotations run one after the other. Resolves to its owner. Throws for a public client. */
async function lockConfidential(trx: Knex, clientId: string): Promise<string | null> {
  const client = await trx("oauth_clients").where({ id: clientId }).whereNull("removed_at").forUpdate().first("public", "owner_id");
  if (!client) throw new Error(`there is no client ${clientId}`);
  if (client.public) throw new Error("a public client has no secret (RFC 6749 2.1)");
  return client.owner_id;
}

async function deleteOldSecrets(trx: Knex, clientId: string): Promise<void> {
  const newest = trx("oauth_client_secrets")
    .where({ client_id: clientId })
    .orderBy("created_at", "desc")
    .limit(activeSecrets)
    .select("hash");
  await trx("oauth_client_secrets").where({ client_id: clientId }).whereNotIn("hash", newest).delete();
}

/** The SHA-256 of a secret, code or token, which the database keeps in its place. */
export function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
