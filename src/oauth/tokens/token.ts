// POST /oauth/token (RFC 6749 3.2): authenticates the client (2.3), counts the request, and exchanges a code or a refresh token, each in
// the file of its grant, for tokens (5.1).

import { accessTokenLifetime } from "../../auth/revocations.ts";
import { network } from "../../http/addresses.ts";
import type { Handler, OperationRequest } from "../../http/operations.ts";
import { OAuthError } from "../../http/problem.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { OAuthClient } from "../clients/clients.ts";
import { type CodeDeps, exchangeCode } from "./authorization-code.ts";
import { readResource } from "./grants.ts";
import type { Tokens } from "./oauth2-server-adapter.ts";
import { type ClientAndToken, exchangeRefreshToken, type RefreshDeps } from "./refresh-token.ts";

export type TokenDeps = CodeDeps & RefreshDeps & { authenticateClient: AuthenticateClient; limits: Limits };

type Body = OperationRequest<"issueToken">["body"];

export const issueToken =
  (deps: TokenDeps): Handler<"issueToken"> =>
  async ({ caller, body }) => {
    const find = (clientId: string) => deps.refreshTokens.findWithClient(clientId, body.refresh_token);
    const sender = await deps.authenticateClient(caller, body, find);
    const limitHeaders = await deps.limits.spend("token", bucketOf(sender.client, caller.address));
    const tokens = await exchange(deps, sender, body).catch((error: unknown) => {
      if (error instanceof OAuthError) Object.assign(error.headers, limitHeaders);
      throw error;
    });
    return { status: 200, transport: limitHeaders, body: tokenResponse(tokens) };
  };

/** A public client has one bucket per network, because anybody can name a public client and could otherwise use up the limit of others. */
function bucketOf({ id, public: isPublic }: OAuthClient, address: string): string {
  return isPublic ? `${id} ${network(address)}` : id;
}

async function exchange(deps: TokenDeps, sender: ClientAndToken, body: Body): Promise<Tokens> {
  const grantType = requireGrantType(body.grant_type);
  const resource = readResource(deps.baseUrl, body.resource) ?? undefined;
  if (grantType === "refresh_token") return exchangeRefreshToken(deps, sender, { ...body, resource });
  return exchangeCode(deps, sender.client, { ...body, resource });
}

/** RFC 6749 5.2. */
function requireGrantType(grantType: string): "authorization_code" | "refresh_token" {
  if (grantType === "authorization_code" || grantType === "refresh_token") return grantType;
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}

/** RFC 6749 5.1. */
function tokenResponse({ accessToken, refreshToken, scopes }: Tokens) {
  return {
    access_token: accessToken,
    token_type: "Bearer" as const,
    expires_in: accessTokenLifetime,
    refresh_token: refreshToken,
    scope: scopes.join(" "),
  };
}
