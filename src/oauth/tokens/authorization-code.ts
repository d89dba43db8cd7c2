// Authorization codes (RFC 6749 4.1.3): what a code is compared with, and how it is used up. All SQL about them.

import type { Knex } from "knex";
import { isCommitUnknown } from "../../db/failures.ts";
import { OAuthError } from "../../http/problem.ts";
import { digest, type OAuthClient } from "../clients/clients.ts";
import { cannotBeUsed, type Grant, type GrantStore, requireResource } from "./grants.ts";
import { requireStored } from "./refresh-token.ts";

export type StoredCode = Readonly<{
  grant: Grant;
  redirectUri: string | null;
  codeChallenge: string | null;
  /** `invalid`: expired, or its grant was revoked. */
  state: "valid" | "used" | "invalid";
}>;

type Request = Readonly<{ client: OAuthClient; resource: string | null }>;

export type Codes = ReturnType<typeof codeStore>;

/** `token`: the first refresh token of the grant. `resource`: becomes the grant's, unless it has one. */
type Use = Readonly<{ grantId: string; resource: string | null; token: string }>;

/** Checks a client's own code. `resource`: as `aud` would have it. Throws invalid_grant and invalid_target. */
export async function requireUsableCode(grants: GrantStore, { grant, codeChallenge, state }: StoredCode, request: Request): Promise<true> {
  const { client, resource } = request;
  if (state === "used") await grants.revoke(grant.id, "code_reused"); // RFC 6749 4.1.2, even long after the code has expired
  if (state !== "valid") throw new OAuthError("invalid_grant", "The code is used, expired or revoked.");
  if (client.public && codeChallenge === null)
    throw new OAuthError("invalid_grant", "A public client's code needs a challenge (RFC 7636)."); // RFC 9700 2.1.1
  requireResource(resource, grant.resource);
  return true;
}

/** Throws invalid_grant when the code was used at the same time elsewhere: its grant is revoked then (RFC 6749 4.1.2). */
export async function useUpCode({ codes, grants }: { codes: Codes; grants: GrantStore }, code: string, use: Use): Promise<void> {
  if (await codes.use(code, use)) return;
  await grants.revoke(use.grantId);
  throw cannotBeUsed();
}

export function codeStore(knex: Knex) {
  return {
    /** Null when there is no such code. */
    find: (code: string): Promise<StoredCode | null> => findCode(knex, code),

    /**
     * Marks a code as used, and stores the first refresh token of its grant. Returns false when the code was used before. The token of a
     * grant that was revoked in the meantime does not work.
     */
    use: (code: string, use: Use): Promise<boolean> => useCode(knex, code, use),
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

/** One transaction: a code that is used up without tokens would be lost for its client. */
async function useCode(knex: Knex, code: string, use: Use): Promise<boolean> {
  let isUsed = false;
  await knex
    .transaction(async (trx) => {
      isUsed = (await markUsed(trx, code)) && (await activate(trx, use));
    })
    .catch(async (error: unknown) => {
      if (!isCommitUnknown(error)) throw error;
      if (isUsed) await requireStored(knex, digest(use.token), error);
    });
  return isUsed;
}

async function markUsed(trx: Knex, code: string): Promise<boolean> {
  const used = await trx("oauth_codes")
    .where({ hash: digest(code) })
    .whereNull("used_at")
    .update({ used_at: trx.fn.now() });
  return used > 0;
}

async function activate(trx: Knex, { grantId, resource, token }: Use): Promise<true> {
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
