// Grants: what streamers approved, for which client, and until when. All SQL about them; every expiry is compared with the database's clock.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { randomBase62 } from "../../auth/keys.ts";
import type { Denials } from "../../auth/revocations.ts";
import { newId } from "../../db/ids.ts";
import type { Scope } from "../../http/operations.ts";
import { OAuthError } from "../../http/problem.ts";
import { digest } from "../clients/clients.ts";

/** What a streamer approved. */
export type Approval = Readonly<{
  clientId: string;
  streamerId: string;
  scopes: readonly Scope[];
  /** RFC 8707; null when the authorization request named none, which means the base URL. */
  resource: string | null;
  /** As the authorization request sent it; null when it sent none. */
  redirectUri: string | null;
  /** PKCE (RFC 7636 4.2); null for a confidential client that sent none. */
  codeChallenge: string | null;
}>;

export type Grant = Readonly<{ id: string; clientId: string; streamerId: string; scopes: readonly Scope[]; resource: string | null }>;

/** An application that can act for a streamer. `registeredBy`: as of a client. */
export type Connection = Readonly<{
  id: string;
  clientId: string;
  name: string;
  registeredBy: string | null;
  selfRegistered: boolean;
  scopes: Scope[];
  createdAt: Date;
}>;

/** `token_reused`, `code_reused`: somebody used a refresh token or a code that was exchanged before, so that it may have been stolen. */
type RevocationReason = "requested" | "token_reused" | "code_reused";

type Revocation = { grantId: string; reason: RevocationReason };

export type GrantStore = ReturnType<typeof grantStore>;

const codeLength = 32;
const codeLifetime = "60 seconds";

/** The only way in which a challenge may be made from its verifier (RFC 7636 4.2). */
export const challengeMethod = "S256";

export function grantStore(knex: Knex, denials: Denials) {
  return {
    /** Records an approval and returns its code, which can be used once within 60 seconds. */
    approve: (approval: Approval): Promise<string> => approve(knex, approval),

    /** Revokes a grant with all its tokens: in this process at once, in others within a second. */
    revoke: (grantId: string, reason: RevocationReason = "requested"): Promise<void> =>
      knex.transaction((trx) => revokeGrant(trx, denials, { grantId, reason })),

    /** The applications that can act for the streamer, newest first. */
    connections: (streamerId: string): Promise<Connection[]> => listConnections(knex, streamerId),

    /** Ids of the grants with which a client can act for the streamer, or could after it has exchanged a code that is still good. */
    ofClient: (streamerId: string, clientId: string): Promise<string[]> =>
      knex("oauth_grants as g")
        .where({ "g.streamer_id": streamerId, "g.client_id": clientId })
        .whereNull("g.revoked_at")
        .where((which) => which.whereExists(liveTokens(knex)).orWhereRaw("g.created_at > now() - ?::interval", [codeLifetime]))
        .pluck("g.id"),
  };
}

/**
 * The resource that a token is requested for (RFC 8707), as `aud` will have it: the base URL, which stands for everything on this server, or
 * its /mcp only. Null when none was requested. Throws invalid_target.
 */
export function readResource(baseUrl: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text === baseUrl || text === `${baseUrl}/`) return baseUrl;
  if (text === `${baseUrl}/mcp`) return text;
  throw new OAuthError("invalid_target", `The resource must be ${baseUrl} or ${baseUrl}/mcp.`);
}

/** `resource`: of the request; `expected`: of the grant; null means any. Throws invalid_target. */
export function requireResource(resource: string | null, expected: string | null): void {
  if (resource !== null && expected !== null && resource !== expected)
    throw new OAuthError("invalid_target", "The grant is for another resource.");
}

/** One description for all ways in which a code or refresh token fails when it is compared or used up. */
export function cannotBeUsed(): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "The code or refresh token can no longer be used, or redirect_uri or code_verifier does not match it.",
  );
}

async function approve(knex: Knex, approval: Approval): Promise<string> {
  const code = randomBase62(codeLength);
  await knex.transaction(async (trx) => {
    const grantId = await insertGrant(trx, approval);
    await trx("oauth_codes").insert({
      hash: digest(code),
      grant_id: grantId,
      redirect_uri: approval.redirectUri,
      code_challenge: approval.codeChallenge,
      expires_at: trx.raw("now() + ?::interval", [codeLifetime]),
    });
    const { streamerId, clientId, scopes } = approval;
    await recordAudit(trx, { streamerId, action: "grant.approved", target: grantId, details: { client: clientId, scopes } });
  });
  return code;
}

async function insertGrant(trx: Knex, { clientId, streamerId, scopes, resource }: Approval): Promise<string> {
  const id = newId();
  await trx("oauth_grants").insert({
    id,
    client_id: clientId,
    streamer_id: streamerId,
    scopes,
    resource,
    expires_at: trx.raw("now() + interval '1 year'"),
  });
  return id;
}

async function revokeGrant(trx: Knex, denials: Denials, { grantId, reason }: Revocation): Promise<void> {
  const [revoked] = await trx("oauth_grants")
    .where({ id: grantId })
    .whereNull("revoked_at")
    .update({ revoked_at: trx.fn.now() }, ["streamer_id", "client_id"]);
  // When another process revoked the grant a moment ago, this process must deny it as well before it answers.
  if (revoked || !denials.has(grantId)) await denials.deny([grantId], trx);
  if (!revoked) return;
  const { streamer_id: streamerId, client_id: client } = revoked;
  await recordAudit(trx, { streamerId, action: "grant.revoked", target: grantId, details: { client, reason } });
}

function listConnections(knex: Knex, streamerId: string): Promise<Connection[]> {
  return knex("oauth_grants as g")
    .join("oauth_clients as c", "c.id", "g.client_id")
    .join("applications as a", "a.id", "c.application_id")
    .leftJoin("streamer_handles as o", "o.streamer_id", "c.owner_id")
    .where("g.streamer_id", streamerId)
    .whereNotNull("g.activated_at")
    .whereNull("g.revoked_at")
    .whereExists(liveTokens(knex))
    .orderBy("g.created_at", "desc")
    .orderBy("g.id", "desc")
    .select({
      id: "g.id",
      clientId: "g.client_id",
      name: "a.name",
      registeredBy: "o.handle",
      selfRegistered: "c.self_registered",
      scopes: "g.scopes",
      createdAt: "g.created_at",
    });
}

function liveTokens(knex: Knex): Knex.QueryBuilder {
  return knex("oauth_refresh_tokens as t")
    .whereRaw("t.grant_id = g.id and t.rotated_at is null and t.expires_at > now()")
    .select(knex.raw("1"));
}
