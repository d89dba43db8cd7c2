// All SQL about grants and their codes and refresh tokens. Every expiry is compared with the database's clock.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import type { Denials } from "../../auth/denials.ts";
import { randomBase62 } from "../../auth/key-text.ts";
import { type BatchedReads, batchedReads } from "../../db/batched-reads.ts";
import { isCommitUnknown, isOutcomeUnknown } from "../../db/failures.ts";
import { newId } from "../../db/ids.ts";
import type { Scope } from "../../http/operations.ts";
import { requireStored } from "./lost-answer.ts";
import { type RotateToken, tokenRotation } from "./token-rotation.ts";

/** What a streamer approved. */
export type Approval = Readonly<{
  clientId: string;
  streamerId: string;
  scopes: readonly Scope[];
  /** RFC 8707; null when the authorization request named none, which means the base URL. */
  resource: string | null;
  /** As the authorization request sent it; null when it sent none. */
  redirectUri: string | null;
  /** PKCE S256 (RFC 7636 4.2); null for a confidential client that sent none. */
  codeChallenge: string | null;
}>;

export type Grant = Readonly<{ id: string; clientId: string; streamerId: string; scopes: readonly Scope[]; resource: string | null }>;

export type StoredCode = Readonly<{
  grant: Grant;
  redirectUri: string | null;
  codeChallenge: string | null;
  /** `invalid`: expired, or its grant was revoked. */
  state: "valid" | "used" | "invalid";
}>;

/** A refresh token of any generation. Only `rotate` decides whether the token itself can still be used. */
export type StoredRefreshToken = Readonly<{ grant: Grant; isGrantActive: boolean }>;

/** An application that can act for a streamer. `registeredBy`: as of a client. */
export type Connection = Readonly<{
  id: string;
  clientId: string;
  name: string;
  registeredBy: string | null;
  scopes: Scope[];
  createdAt: Date;
}>;

/** `token_reused`, `code_reused`: somebody used a refresh token or a code that was exchanged before, so that it may have been stolen. */
type RevocationReason = "requested" | "token_reused" | "code_reused";

type Revocation = { grantId: string; reason: RevocationReason };

type GrantDenials = Pick<Denials, "deny" | "has">;

export type GrantStore = ReturnType<typeof grantStore>;

const codeLength = 32;
const refreshTokenLength = 40;

/** `rotations`: a pool of one connection, on which uses of refresh tokens share a commit. */
export function grantStore(knex: Knex, denials: GrantDenials, brand: string, rotations: Knex = knex) {
  const reads = batchedReads(knex);
  const rotateToken = tokenRotation(knex, batchedReads(rotations, 1));
  return {
    /** Records an approval and returns its code, which can be used once within 60 seconds. */
    approve: (approval: Approval): Promise<string> => approve(knex, approval),

    /** Null when there is no such code. */
    findCode: (code: string): Promise<StoredCode | null> => findCode(knex, code),

    /**
     * Marks a code as used, and creates the first refresh token of its grant. Returns null when the code was used before. `resource` becomes
     * the grant's resource unless the grant has one. The token of a grant that was revoked in the meantime does not work.
     */
    useCode: (code: string, { grantId, resource }: Omit<Activation, "token">): Promise<string | null> =>
      useCode(knex, code, { grantId, resource, token: newRefreshToken(brand) }),

    /** A refresh token of any generation; null when there is no such token. */
    findRefreshToken: (token: string): Promise<StoredRefreshToken | null> => findRefreshToken(reads, token),

    /**
     * Exchanges a refresh token for its successor (RFC 9700 4.14.2). Returns null when the token can no longer be used. Using a rotated
     * token again revokes the grant for good, with one exception: a confidential client may repeat its last token within 30 seconds
     * while the successor is unused, because the answer may have been lost or two of its workers refreshed at once. The unused
     * successor then stops working.
     */
    rotate: (token: string, client: { public: boolean }): Promise<string | null> =>
      rotate(knex, { denials, rotateToken }, { token, next: newRefreshToken(brand), client }),

    /** Revokes a grant with all its tokens: in this process at once, in others within a second. */
    revoke: (grantId: string, reason: RevocationReason = "requested"): Promise<void> =>
      knex.transaction((trx) => revokeGrant(trx, denials, { grantId, reason })),

    /** The applications that can act for the streamer, newest first. */
    connections: (streamerId: string): Promise<Connection[]> => listConnections(knex, streamerId),
  };
}

/** The prefix of every refresh token. */
export function refreshTokenPrefix(brand: string): string {
  return `${brand}_r1_`;
}

const grantColumns = { id: "g.id", clientId: "g.client_id", streamerId: "g.streamer_id", scopes: "g.scopes", resource: "g.resource" };

const codeState = `case when c.used_at is not null then 'used' when c.expires_at <= now() or g.revoked_at is not null then 'invalid' else 'valid' end`;

function toGrant({ id, clientId, streamerId, scopes, resource }: Grant): Grant {
  return { id, clientId, streamerId, scopes, resource };
}

function newRefreshToken(brand: string): string {
  return `${refreshTokenPrefix(brand)}${randomBase62(refreshTokenLength)}`;
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
      expires_at: trx.raw("now() + interval '60 seconds'"),
    });
    const { streamerId, clientId, scopes } = approval;
    await recordAudit(trx, { streamerId, action: "grant.approved", target: grantId, details: { client: clientId, scopes } });
  });
  return code;
}

async function findCode(knex: Knex, code: string): Promise<StoredCode | null> {
  const row = await knex("oauth_codes as c")
    .join("oauth_grants as g", "g.id", "c.grant_id")
    .where("c.hash", digest(code))
    .select(grantColumns)
    .first({ redirectUri: "c.redirect_uri", codeChallenge: "c.code_challenge", state: knex.raw(codeState) });
  return row ? { grant: toGrant(row), redirectUri: row.redirectUri, codeChallenge: row.codeChallenge, state: row.state } : null;
}

type Activation = { grantId: string; resource: string | null; token: string };

/** One transaction: a code that is used up without tokens would be lost for its client. */
async function useCode(knex: Knex, code: string, activation: Activation): Promise<string | null> {
  let isUsed = false;
  await knex
    .transaction(async (trx) => {
      isUsed = (await markUsed(trx, code)) && (await activate(trx, activation));
    })
    .catch(async (error: unknown) => {
      if (!isCommitUnknown(error)) throw error;
      if (isUsed) await requireStored(knex, digest(activation.token), error);
    });
  return isUsed ? activation.token : null;
}

async function markUsed(trx: Knex, code: string): Promise<boolean> {
  const used = await trx("oauth_codes")
    .where({ hash: digest(code) })
    .whereNull("used_at")
    .update({ used_at: trx.fn.now() });
  return used > 0;
}

async function activate(trx: Knex, { grantId, resource, token }: Activation): Promise<true> {
  await trx("oauth_grants")
    .where({ id: grantId })
    .update({ activated_at: trx.fn.now(), resource: trx.raw("coalesce(resource, ?)", [resource]) });
  await insertRefreshToken(trx, grantId, token);
  return true;
}

async function findRefreshToken(reads: BatchedReads, token: string): Promise<StoredRefreshToken | null> {
  const [row] = await reads<Grant & { isGrantActive: boolean }>(
    (bind) =>
      `select g.id, g.client_id as "clientId", g.streamer_id as "streamerId", g.scopes, g.resource, g.revoked_at is null as "isGrantActive"
       from oauth_refresh_tokens t join oauth_grants g on g.id = t.grant_id where t.hash = ${bind(digest(token), "bytea")}`,
  );
  return row ? { grant: toGrant(row), isGrantActive: row.isGrantActive } : null;
}

type Rotation = { token: string; next: string; client: { public: boolean } };
type Rotating = { denials: GrantDenials; rotateToken: RotateToken };

async function rotate(knex: Knex, { denials, rotateToken }: Rotating, { token, next, client }: Rotation): Promise<string | null> {
  const rotation = { used: digest(token), next: digest(next), isConfidential: !client.public };
  const outcome = await rotateToken(rotation).catch(async (error: unknown) => {
    if (!isOutcomeUnknown(error)) throw error;
    await requireStored(knex, rotation.next, error);
    return "rotated";
  });
  if (outcome === "reused") await revokeGrantOf(knex, denials, token);
  return outcome === "rotated" ? next : null;
}

async function revokeGrantOf(knex: Knex, denials: GrantDenials, token: string): Promise<void> {
  const family = await knex("oauth_refresh_tokens")
    .where({ hash: digest(token) })
    .first("grant_id");
  if (family) await knex.transaction((trx) => revokeGrant(trx, denials, { grantId: family.grant_id, reason: "token_reused" }));
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
      scopes: "g.scopes",
      createdAt: "g.created_at",
    });
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

async function insertRefreshToken(trx: Knex, grantId: string, token: string): Promise<void> {
  await trx.raw(
    `insert into oauth_refresh_tokens (hash, grant_id, expires_at)
     select ?, id, least(expires_at, now() + interval '90 days') from oauth_grants where id = ?`,
    [digest(token), grantId],
  );
}

async function revokeGrant(trx: Knex, denials: GrantDenials, { grantId, reason }: Revocation): Promise<void> {
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

function liveTokens(knex: Knex): Knex.QueryBuilder {
  return knex("oauth_refresh_tokens as t")
    .whereRaw("t.grant_id = g.id and t.rotated_at is null and t.expires_at > now()")
    .select(knex.raw("1"));
}

function digest(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}
