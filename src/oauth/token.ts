// POST /oauth/token (RFC 6749 3.2, 4.1.3, 6).

import { uuidv7 } from "uuidv7";
import { signAccessToken } from "../auth/access-token.ts";
import { accessTokenLifetime } from "../auth/denials.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";
import { network } from "../http/network.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { Handler, OperationRequest } from "../http/operations.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { AuthenticateClient } from "./client-authentication.ts";
import type { OAuthClient } from "./clients.ts";
import type { Grant, GrantStore } from "./grants.ts";
import { type Exchange, exchangeGrant, type Tokens } from "./oauth2-server-adapter.ts";
import { readResource } from "./resource.ts";

export type TokenParts = {
  baseUrl: string;
  authenticateClient: AuthenticateClient;
  grants: Pick<GrantStore, "findCode" | "useCode" | "activate" | "findRefreshToken" | "rotate" | "revoke">;
  signingKeys: Pick<SigningKeys, "current">;
  limits: Pick<Limits, "spend">;
};

type Body = OperationRequest<"issueToken">["body"];

/** What the client presented, found good enough to be tried, and what may be had for it. */
type Presented = Pick<Exchange, "grant" | "code" | "parameters"> & { audience: string };

export const issueToken =
  (parts: TokenParts): Handler<"issueToken"> =>
  async ({ caller, body }) => {
    const client = await parts.authenticateClient(caller, body);
    const limitHeaders = await parts.limits.spend("token", bucketOf(client, caller.address));
    const tokens = await exchange(parts, client, body).catch((error: unknown) => {
      if (error instanceof OAuthError) Object.assign(error.headers, limitHeaders);
      throw error;
    });
    return { status: 200, transport: limitHeaders, body: answer(tokens) };
  };

/** Anybody can name a public client, so each network has a bucket of its own there: nobody uses up what others need. */
function bucketOf({ id, public: isPublic }: OAuthClient, address: string): string {
  return isPublic ? `${id} ${network(address)}` : id;
}

async function exchange(parts: TokenParts, client: OAuthClient, body: Body): Promise<Tokens> {
  const present = readGrantType(body.grant_type);
  const resource = readResource(parts.baseUrl, body.resource);
  const { audience, ...presented } = await present(parts, client, { ...body, resource: resource ?? undefined });
  const sign = signer(parts, { client, grant: presented.grant, audience });
  return exchangeGrant(parts.grants, { ...presented, client, resource, sign });
}

type Present = (parts: TokenParts, client: OAuthClient, body: Body) => Promise<Presented>;

/** RFC 6749 4.1.3. */
const presentCode: Present = async ({ grants, baseUrl }, client, { code, redirect_uri, code_verifier, resource }) => {
  if (code === undefined) throw new OAuthError("invalid_request", "code is required.");
  const stored = await grants.findCode(code);
  if (stored?.grant.clientId !== client.id) throw badGrant("This client has no such code."); // it stays good for its own client
  const { grant, state } = stored;
  if (state === "used") await grants.revoke(grant.id); // RFC 6749 4.1.2, however old it is
  if (state !== "good") throw badGrant("The code is used, expired or revoked.");
  if (client.public && stored.codeChallenge === null) throw badGrant("A public client's code needs a challenge (RFC 7636).");
  if (resource !== undefined && resource !== (grant.resource ?? resource)) throw otherResource();
  const parameters = { grant_type: "authorization_code", code, redirect_uri, code_verifier };
  return { grant, code: stored, parameters, audience: grant.resource ?? resource ?? baseUrl };
};

/** RFC 6749 6. Nothing that is refused here uses the refresh token up. */
const presentRefreshToken: Present = async ({ grants, baseUrl }, client, { refresh_token, scope, resource }) => {
  if (refresh_token === undefined) throw new OAuthError("invalid_request", "refresh_token is required.");
  const stored = await grants.findRefreshToken(refresh_token);
  if (stored?.grant.clientId !== client.id) throw badGrant("This client has no such refresh token.");
  const { grant, good } = stored;
  if (!good) throw badGrant("The grant was revoked.");
  const audience = grant.resource ?? baseUrl;
  if (resource !== undefined && resource !== audience) throw otherResource();
  return { grant, code: null, parameters: { grant_type: "refresh_token", refresh_token, scope: narrowed(grant, scope) }, audience };
};

function readGrantType(grantType: string): Present {
  if (grantType === "authorization_code") return presentCode;
  if (grantType === "refresh_token") return presentRefreshToken;
  throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
}

/** The scopes asked for, which must be among the grant's; all of those when none is named. */
function narrowed({ scopes }: Grant, scope: string | undefined): string {
  const asked = scope?.split(" ").filter(Boolean) ?? scopes;
  if (asked.length > 0 && asked.every((one) => scopes.some((granted) => granted === one))) return [...new Set(asked)].join(" ");
  throw new OAuthError("invalid_scope", `The grant is for ${scopes.join(" ")}.`);
}

/** RFC 9068 2.2. */
function signer({ baseUrl, signingKeys }: TokenParts, about: { client: OAuthClient; grant: Grant; audience: string }): Exchange["sign"] {
  const { client, grant, audience } = about;
  const application = { client_id: client.id, application_id: client.applicationId, grant_id: grant.id };
  return (scopes) =>
    signAccessToken(signingKeys, {
      iss: baseUrl,
      aud: audience,
      sub: grant.streamerId,
      ...application,
      scope: scopes.join(" "),
      jti: uuidv7(),
    });
}

/** RFC 6749 5.1. */
function answer({ accessToken, refreshToken, scopes }: Tokens) {
  return {
    access_token: accessToken,
    token_type: "Bearer" as const,
    expires_in: accessTokenLifetime,
    refresh_token: refreshToken,
    scope: scopes.join(" "),
  };
}

function badGrant(description: string): OAuthError {
  return new OAuthError("invalid_grant", description);
}

function otherResource(): OAuthError {
  return new OAuthError("invalid_target", "The grant is for another resource.");
}
