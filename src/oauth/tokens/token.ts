// POST /oauth/token (RFC 6749 3.2): exchanges a code (4.1.3) or a refresh token (6) for tokens.
//
// This file decides everything that can be decided without using the code or refresh token up: the client's authentication (RFC 6749
// 2.3), the rate limit, grant_type and required parameters (5.2), whether the code or refresh token belongs to this client (5.2), the
// age and reuse of a code (4.1.2), that a public client's code has a challenge (RFC 9700 2.1.1), the requested scope (RFC 6749 6) and
// resource (RFC 8707 2.2). oauth2-server-adapter.ts decides whether redirect_uri (RFC 6749 4.1.3) and code_verifier (RFC 7636 4.6) fit the
// code; oauth2-server, behind it, marks the code as used (RFC 6749 4.1.2) or replaces the refresh token (6, RFC 9700 4.14.2), and then asks
// for the new tokens.

import { signAccessToken } from "../../auth/access-token.ts";
import { accessTokenLifetime } from "../../auth/denials.ts";
import type { SigningKeys } from "../../auth/signing-keys.ts";
import { newId } from "../../db/ids.ts";
import { network } from "../../http/network.ts";
import { OAuthError } from "../../http/oauth-error.ts";
import type { Handler, OperationRequest } from "../../http/operations.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { OAuthClient } from "../clients/clients.ts";
import { readResource } from "../resource.ts";
import type { ClientAndToken, FindClientAndToken } from "./client-and-token.ts";
import type { Grant, GrantStore } from "./grants.ts";
import { type Exchange, exchangeGrant, type Tokens } from "./oauth2-server-adapter.ts";

export type TokenDeps = {
  baseUrl: string;
  authenticateClient: AuthenticateClient;
  findClientAndToken: FindClientAndToken;
  grants: Pick<GrantStore, "findCode" | "useCode" | "rotate" | "revoke">;
  signingKeys: Pick<SigningKeys, "current">;
  limits: Pick<Limits, "spend">;
};

type Body = OperationRequest<"issueToken">["body"];

/** A code or refresh token that may be exchanged, and the resource (`aud`) of the access token. */
type Checked = Pick<Exchange, "grant" | "code" | "parameters"> & { audience: string };

export const issueToken =
  (deps: TokenDeps): Handler<"issueToken"> =>
  async ({ caller, body }) => {
    const sender = await deps.authenticateClient(caller, body, (clientId) => deps.findClientAndToken(clientId, body.refresh_token));
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

/** The authenticated client, and the refresh token that it sent. */
type Sender = Pick<ClientAndToken, "client" | "refreshToken">;

async function exchange(deps: TokenDeps, sender: Sender, body: Body): Promise<Tokens> {
  const checkGrant = grantCheckOf(body.grant_type);
  const resource = readResource(deps.baseUrl, body.resource);
  const { audience, ...checked } = await checkGrant(deps, sender, { ...body, resource: resource ?? undefined });
  const { client } = sender;
  const sign = accessTokenSigner(deps, { client, grant: checked.grant, audience });
  return exchangeGrant(deps.grants, { ...checked, client, resource, sign });
}

type GrantCheck = (deps: TokenDeps, sender: Sender, body: Body) => Promise<Checked>;

/** RFC 6749 5.2. */
function grantCheckOf(grantType: string): GrantCheck {
  if (grantType === "authorization_code") return checkCode;
  if (grantType === "refresh_token") return checkRefreshToken;
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}

/** RFC 6749 4.1.3. */
const checkCode: GrantCheck = async ({ grants, baseUrl }, { client }, { code, redirect_uri, code_verifier, resource }) => {
  if (code === undefined) throw new OAuthError("invalid_request", "code is required.");
  const stored = await grants.findCode(code);
  if (stored?.grant.clientId !== client.id) throw invalidGrant("This client has no such code."); // its own client can still use it
  const { grant, state } = stored;
  if (state === "used") await grants.revoke(grant.id, "code_reused"); // RFC 6749 4.1.2, even long after the code has expired
  if (state !== "valid") throw invalidGrant("The code is used, expired or revoked.");
  if (client.public && stored.codeChallenge === null) throw invalidGrant("A public client's code needs a challenge (RFC 7636).");
  if (resource !== undefined && resource !== (grant.resource ?? resource)) throw invalidTarget();
  const parameters = { grant_type: "authorization_code", code, redirect_uri, code_verifier };
  return { grant, code: stored, parameters, audience: grant.resource ?? resource ?? baseUrl };
};

/** RFC 6749 6. */
const checkRefreshToken: GrantCheck = async ({ baseUrl }, { client, refreshToken }, { refresh_token, scope, resource }) => {
  if (refresh_token === undefined) throw new OAuthError("invalid_request", "refresh_token is required.");
  if (refreshToken?.grant.clientId !== client.id) throw invalidGrant("This client has no such refresh token.");
  const { grant, isGrantActive } = refreshToken;
  if (!isGrantActive) throw invalidGrant("The grant was revoked.");
  const audience = grant.resource ?? baseUrl;
  if (resource !== undefined && resource !== audience) throw invalidTarget();
  return { grant, code: null, parameters: { grant_type: "refresh_token", refresh_token, scope: narrowScope(grant, scope) }, audience };
};

/** The requested scopes, which must be among the grant's (RFC 6749 6); all scopes of the grant when none is requested. */
function narrowScope({ scopes }: Grant, scope: string | undefined): string {
  const requested = scope?.split(" ").filter(Boolean) ?? scopes;
  if (requested.length > 0 && requested.every((one) => scopes.some((granted) => granted === one))) return [...new Set(requested)].join(" ");
  throw new OAuthError("invalid_scope", `The grant has the scopes ${scopes.join(" ")}.`);
}

type TokenSubject = { client: OAuthClient; grant: Grant; audience: string };

/** RFC 9068 2.2. */
function accessTokenSigner({ baseUrl, signingKeys }: TokenDeps, subject: TokenSubject): Exchange["sign"] {
  const { client, grant, audience } = subject;
  const application = { client_id: client.id, application_id: client.applicationId, grant_id: grant.id };
  return (scopes) =>
    signAccessToken(signingKeys, {
      iss: baseUrl,
      aud: audience,
      sub: grant.streamerId,
      ...application,
      scope: scopes.join(" "),
      jti: newId(),
    });
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

function invalidGrant(description: string): OAuthError {
  return new OAuthError("invalid_grant", description);
}

function invalidTarget(): OAuthError {
  return new OAuthError("invalid_target", "The grant is for another resource.");
}
