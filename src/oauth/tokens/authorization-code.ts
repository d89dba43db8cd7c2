// The authorization code grant (RFC 6749 4.1.3, RFC 7636 4.6), in its order: find the code, check it, use it up, sign the access token, answer.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { isCommitUnknown } from "../../db/failures.ts";
import type { OperationRequest } from "../../http/operations.ts";
import { OAuthError } from "../../http/problem.ts";
import { digest, type OAuthClient } from "../clients/clients.ts";
import type { Grant, GrantStore } from "./grants.ts";
import { type CodeConditions, cannotBeUsed, exchangeGrant, type Signing, type Tokens } from "./oauth2-server-adapter.ts";
import { newRefreshToken, requireStored } from "./refresh-token.ts";

export type StoredCode = Readonly<{
  grant: Grant;
  redirectUri: string | null;
  codeChallenge: string | null;
  /** `invalid`: expired, or its grant was revoked. */
  state: "valid" | "used" | "invalid";
}>;

export type Codes = ReturnType<typeof codeStore>;

export type CodeDeps = Signing & Readonly<{ baseUrl: string; codes: Codes; grants: GrantStore }>;

type Body = OperationRequest<"issueToken">["body"];

/**
 * Exchanges a code of an authenticated client. `resource`: as `aud` would have it. Throws invalid_request, invalid_grant and
 * invalid_target; then the code was not used, so that its own client can still exchange it.
 */
export async function exchangeCode(deps: CodeDeps, client: OAuthClient, { code, resource, ...sent }: Body): Promise<Tokens> {
  const { codes, grants, baseUrl } = deps;
  if (code === undefined) throw new OAuthError("invalid_request", "code is required.");
  const stored = await codes.find(code);
  if (stored?.grant.clientId !== client.id) throw new OAuthError("invalid_grant", "This client has no such code.");
  const { grant, state } = stored;
  if (state === "used") await grants.revoke(grant.id, "code_reused"); // RFC 6749 4.1.2, even long after the code has expired
  if (state !== "valid") throw new OAuthError("invalid_grant", "The code is used, expired or revoked.");
  requireChallenge(client, stored);
  if (resource !== undefined && resource !== (grant.resource ?? resource))
    throw new OAuthError("invalid_target", "The grant is for another resource.");
  const conditions = conditionsOf(stored, client, sent);
  requireMet(conditions, sent);
  const audience = grant.resource ?? resource ?? baseUrl;
  const parameters = { grant_type: "authorization_code", code, redirect_uri: sent.redirect_uri, code_verifier: sent.code_verifier };
  const replace = () => useUp(deps, code, { grantId: grant.id, resource: resource ?? null });
  return exchangeGrant(deps, { client, grant, audience, code: conditions, parameters, replace });
}

/** RFC 9700 2.1.1. */
function requireChallenge(client: OAuthClient, { codeChallenge }: StoredCode): void {
  if (client.public && codeChallenge === null)
    throw new OAuthError("invalid_grant", "A public client's code needs a challenge (RFC 7636).");
}

type Sent = Pick<Body, "redirect_uri" | "code_verifier">;

/** When the authorization request named no redirect URI, the only registered one was used, and the client may send it here (RFC 6749 3.1.2.3). */
function conditionsOf(stored: StoredCode, client: OAuthClient, sent: Sent): CodeConditions {
  const redirectUri = stored.redirectUri ?? (sent.redirect_uri && client.redirectUris[0]) ?? "";
  return { redirectUri, codeChallenge: stored.codeChallenge ?? undefined };
}

/**
 * RFC 6749 4.1.3, RFC 7636 4.1 and 4.6. oauth2-server would use the code up first, and its own client could not exchange it any more. A
 * challenge is no secret, so that it need not be compared in constant time.
 */
function requireMet({ redirectUri, codeChallenge }: CodeConditions, { redirect_uri, code_verifier: verifier = "" }: Sent): void {
  const isRedirectUri = redirectUri === "" || redirect_uri === redirectUri;
  const isVerifier = /^[\w.~-]{43,128}$/.test(verifier) && hash("sha256", verifier, "base64url") === codeChallenge;
  if (!isRedirectUri || !(codeChallenge === undefined ? verifier === "" : isVerifier)) throw cannotBeUsed();
}

type Use = Readonly<{ grantId: string; resource: string | null }>;

/** Null when the code was used at the same time elsewhere: its grant is revoked then (RFC 6749 4.1.2). */
async function useUp({ codes, grants }: CodeDeps, code: string, use: Use): Promise<string | null> {
  const refreshToken = await codes.use(code, use);
  if (refreshToken === null) await grants.revoke(use.grantId);
  return refreshToken;
}

export function codeStore(knex: Knex, brand: string) {
  return {
    /** Null when there is no such code. */
    find: (code: string): Promise<StoredCode | null> => findCode(knex, code),

    /**
     * Marks a code as used, and creates the first refresh token of its grant. Returns null when the code was used before. `resource` becomes
     * the grant's resource unless the grant has one. The token of a grant that was revoked in the meantime does not work.
     */
    use: (code: string, use: Use): Promise<string | null> => useCode(knex, code, { ...use, token: newRefreshToken(brand) }),
  };
}

const state = `case when c.used_at is not null then 'used' when c.expires_at <= now() or g.revoked_at is not null then 'invalid' else 'valid' end`;

async function findCode(knex: Knex, code: string): Promise<StoredCode | null> {
  const row = await knex("oauth_codes as c")
    .join("oauth_grants as g", "g.id", "c.grant_id")
    .where("c.hash", digest(code))
    .select({ id: "g.id", clientId: "g.client_id", streamerId: "g.streamer_id", scopes: "g.scopes", resource: "g.resource" })
    .first({ redirectUri: "c.redirect_uri", codeChallenge: "c.code_challenge", state: knex.raw(state) });
  if (!row) return null;
  const { redirectUri, codeChallenge, state: found, ...grant } = row;
  return { grant, redirectUri, codeChallenge, state: found };
}

type Activation = Use & Readonly<{ token: string }>;

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
  await trx.raw(
    `insert into oauth_refresh_tokens (hash, grant_id, expires_at)
     select ?, id, least(expires_at, now() + interval '90 days') from oauth_grants where id = ?`,
    [digest(token), grantId],
  );
  return true;
}
