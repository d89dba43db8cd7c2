// POST /oauth/revoke (RFC 7009).

import { verifySignature } from "../auth/access-token.ts";
import type { Denials } from "../auth/denials.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { Handler } from "../http/operations.ts";
import type { AuthenticateClient } from "./client-authentication.ts";
import { type GrantStore, refreshTokenPrefix } from "./grants.ts";

export type RevocationParts = {
  brand: string;
  authenticateClient: AuthenticateClient;
  grants: Pick<GrantStore, "findRefreshToken" | "revoke">;
  signingKeys: Pick<SigningKeys, "verifying">;
  denials: Pick<Denials, "deny" | "has">;
};

/** A token of ours: whose it is, and how to end it. */
type Revocable = Readonly<{ clientId: string; revoke: () => Promise<void> }>;

export const revokeToken =
  (parts: RevocationParts): Handler<"revokeToken"> =>
  async ({ caller, body }) => {
    const client = await parts.authenticateClient(caller, body);
    const found = body.token.startsWith(refreshTokenPrefix(parts.brand))
      ? await findRefreshToken(parts, body.token)
      : await findAccessToken(parts, body.token);
    // RFC 7009 2.1: another client's token is refused. 2.2: an unknown one is as good as revoked.
    if (found && found.clientId !== client.id) throw new OAuthError("invalid_grant", "The token belongs to another client.");
    await found?.revoke();
    return { status: 200, body: {} };
  };

/** A refresh token of any generation takes its grant with it. */
async function findRefreshToken({ grants }: RevocationParts, token: string): Promise<Revocable | null> {
  const stored = await grants.findRefreshToken(token);
  return stored && { clientId: stored.grant.clientId, revoke: () => grants.revoke(stored.grant.id) };
}

/** An access token goes alone. */
async function findAccessToken({ signingKeys, denials }: RevocationParts, token: string): Promise<Revocable | null> {
  const claims = await verifySignature(signingKeys, token);
  if (!claims) return null;
  const { client_id: clientId, jti } = claims;
  return { clientId, revoke: async () => (denials.has(jti) ? undefined : denials.deny([jti])) };
}
