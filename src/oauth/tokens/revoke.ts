// POST /oauth/revoke (RFC 7009): revokes a refresh token with its grant, or one access token.

import { actWith } from "../../audit/actor.ts";
import { verifySignature } from "../../auth/access-token.ts";
import { type Denials, marginSeconds } from "../../auth/revocations.ts";
import type { SigningKeys } from "../../auth/signing-keys.ts";
import { fairSlots, type SlotLimits } from "../../base/fair-slots.ts";
import type { Handler } from "../../http/operations.ts";
import { OAuthError, Problem } from "../../http/problem.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { ClientStore } from "../clients/clients.ts";
import type { GrantStore } from "./grants.ts";
import { type RefreshTokens, refreshTokenPrefix } from "./refresh-token.ts";

type RevocationDeps = {
  brand: string;
  authenticateClient: AuthenticateClient;
  clients: ClientStore;
  refreshTokens: RefreshTokens;
  grants: GrantStore;
  signingKeys: SigningKeys;
  denials: Denials;
};

/** Clients take turns: revocations wait for one row of the database, and must not take all connections meanwhile. In each process. */
export const revocationSlots: SlotLimits = {
  max: 1,
  maxWaiting: 200,
  maxWaitingOfKey: 50,
  waitMs: 3_000,
  tooMany: () => new Problem("unavailable", "Other revocations are still being recorded; nothing was revoked."),
};

/** A token that this server issued, and how to revoke it; null when it has expired (RFC 7009 2.2: it is invalid already). */
type Revocable = Readonly<{ clientId: string; revoke: (() => Promise<void>) | null }>;

export const revokeToken = (deps: RevocationDeps): Handler<"revokeToken"> => {
  const inTurn = fairSlots(revocationSlots);
  return async ({ caller, body }) => {
    const { client } = await deps.authenticateClient(caller, body, deps.clients.findWithSecrets);
    const token = body.token.startsWith(refreshTokenPrefix(deps.brand))
      ? await findRefreshToken(deps, body.token)
      : await findAccessToken(deps, body.token);
    // RFC 7009 2.1: another client's token is refused. 2.2: an unknown token is answered like a revoked one.
    if (token && token.clientId !== client.id) throw new OAuthError("invalid_grant", "The token belongs to another client.");
    const revoke = token?.revoke;
    if (revoke) await inTurn(client.id, () => actWith({ kind: "client", id: client.id }, revoke));
    return { status: 200, body: {} };
  };
};

/** Revoking a refresh token of any generation revokes its grant. */
async function findRefreshToken({ refreshTokens, grants }: RevocationDeps, token: string): Promise<Revocable | null> {
  const stored = await refreshTokens.find(token);
  return stored && { clientId: stored.grant.clientId, revoke: () => grants.revoke(stored.grant.id) };
}

/** Revoking an access token revokes nothing else. */
async function findAccessToken({ signingKeys, denials }: RevocationDeps, token: string): Promise<Revocable | null> {
  const claims = await verifySignature(signingKeys, token);
  if (!claims) return null;
  const { client_id: clientId, sub: streamerId, jti, exp } = claims;
  if ((exp + marginSeconds) * 1000 <= Date.now()) return { clientId, revoke: null };
  return { clientId, revoke: async () => (denials.has(jti) ? undefined : denials.denyToken(jti, { streamerId, client: clientId })) };
}
