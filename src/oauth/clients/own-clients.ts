// The OAuth clients that streamers register themselves: what they may change, and the rules for what they enter.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import type { Denials } from "../../auth/revocations.ts";
import { type Fault, Problem } from "../../http/problem.ts";
import { findNameFault } from "./client-names.ts";
import { clientStore, type NewClient, type NewCredentials, type OAuthClient } from "./clients.ts";
import { brokenRule } from "./redirect-uris.ts";

/** A client as its owner sees it. `secretSince`: when its newest secret was made; null for a public client. */
export type OwnClient = Omit<OAuthClient, "applicationId"> & Readonly<{ createdAt: Date; secretSince: Date | null }>;

type ClientChange = Pick<NewClient, "name" | "redirectUris">;

export type OwnClients = Readonly<{
  /** Oldest first, without removed ones. */
  list: (ownerId: string) => Promise<OwnClient[]>;
  /** Null when the streamer has no such client. */
  find: (ownerId: string, clientId: string) => Promise<OwnClient | null>;
  /** The secret is returned only here. Throws validation_failed, and TooManyKeys. */
  register: (ownerId: string, client: NewClient) => Promise<NewCredentials>;
  /** False when the streamer has no such client. Throws validation_failed. */
  change: (ownerId: string, clientId: string, change: ClientChange) => Promise<boolean>;
  /**
   * The new secret; the one before works until the next rotation. `replaces`: when the newest secret was made that the streamer knows; the
   * secret is null when there is a newer one. Null when the streamer has no such confidential client.
   */
  rotate: (ownerId: string, clientId: string, replaces: Date) => Promise<{ clientSecret: string | null } | null>;
  /** Removes the client and revokes all its tokens. False when the streamer has no such client. */
  remove: (ownerId: string, clientId: string) => Promise<boolean>;
}>;

const maxRedirectUris = 10;

export function ownClients({ knex, brand, denials }: { knex: Knex; brand: string; denials: Denials }): OwnClients {
  const store = clientStore(knex);
  const find = async (ownerId: string, clientId: string) => (await selectOwn(knex, ownerId).where("c.id", clientId).first()) ?? null;
  return {
    list: (ownerId) => selectOwn(knex, ownerId).orderBy(["c.created_at", "c.id"]),
    find,
    register: async (ownerId, client) => {
      const faults = await findFaults(knex, brand, client);
      if (client.scopes.length === 0) faults.push({ pointer: "/scopes", code: "required", message: "must be at least one" });
      requireNone(faults);
      return store.create(client, ownerId);
    },
    change: async (ownerId, clientId, change) => {
      const client = await find(ownerId, clientId);
      if (!client) return false;
      requireNone(await findFaults(knex, brand, { ...change, public: client.public }));
      return knex.transaction((trx) => changeClient(trx, { ownerId, clientId }, change));
    },
    rotate: async (ownerId, clientId, replaces) => {
      const client = await find(ownerId, clientId);
      return client && !client.public ? { clientSecret: await store.rotateNewest(clientId, replaces) } : null;
    },
    remove: async (ownerId, clientId) => ((await find(ownerId, clientId)) ? store.remove(clientId, denials) : false),
  };
}

function selectOwn(knex: Knex, ownerId: string) {
  return knex("oauth_clients as c")
    .join("applications as a", "a.id", "c.application_id")
    .where("c.owner_id", ownerId)
    .whereNull("c.removed_at")
    .select({
      id: "c.id",
      name: "a.name",
      public: "c.public",
      redirectUris: "c.redirect_uris",
      scopes: "c.scopes",
      createdAt: "c.created_at",
      secretSince: knex("oauth_client_secrets")
        .where({ client_id: knex.ref("c.id") })
        .max("created_at"),
    });
}

/** False when the client was removed in the meantime. */
async function changeClient(
  trx: Knex,
  { ownerId, clientId }: { ownerId: string; clientId: string },
  { name, redirectUris }: ClientChange,
): Promise<boolean> {
  const [changed] = await trx("oauth_clients")
    .where({ id: clientId })
    .whereNull("removed_at")
    .update({ redirect_uris: [...new Set(redirectUris)] }, ["application_id"]);
  if (!changed) return false;
  await trx("applications").where({ id: changed.application_id }).update({ name });
  await recordAudit(trx, { streamerId: ownerId, action: "client.changed", target: clientId, details: { redirectUris } });
  return true;
}

type Entered = ClientChange & Pick<NewClient, "public">;

async function findFaults(knex: Knex, brand: string, { name, redirectUris, public: isPublic }: Entered): Promise<Fault[]> {
  const nameFault = findNameFault(name, { brand, taken: await operatorsNames(knex) });
  const uris = redirectUris.map((uri, index) => uriFault(uri, index, isPublic)).filter((fault) => fault !== null);
  return [...(nameFault ? [{ pointer: "/name", ...nameFault }] : []), ...countFaults(redirectUris), ...uris];
}

/** Names of the clients that the operator registered and so has checked. */
function operatorsNames(knex: Knex): Promise<string[]> {
  return knex("oauth_clients as c")
    .join("applications as a", "a.id", "c.application_id")
    .where({ "c.owner_id": null, "c.removed_at": null, "c.self_registered": false })
    .whereNot("c.id", "like", "https:%")
    .pluck("a.name");
}

function countFaults({ length }: readonly string[]): Fault[] {
  if (length === 0) return [{ pointer: "/redirectUris", code: "required", message: "must be at least one (RFC 6749 3.1.2.2)" }];
  if (length <= maxRedirectUris) return [];
  return [{ pointer: "/redirectUris", code: "too_many_items", message: `must be at most ${maxRedirectUris}` }];
}

function uriFault(uri: string, index: number, isPublic: boolean): Fault | null {
  const message = uri.includes("*")
    ? "must not have a *: addresses are compared exactly (RFC 9700 2.1)"
    : brokenRule(uri, { public: isPublic });
  return message === null ? null : { pointer: `/redirectUris/${index}`, code: "invalid_format", message };
}

function requireNone(errors: Fault[]): void {
  if (errors.length > 0) throw new Problem("validation_failed", "The application breaks a rule.", { errors });
}
