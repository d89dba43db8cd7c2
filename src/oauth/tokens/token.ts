// POST /oauth/token (RFC 6749 3.2). oauth2-server runs a request: it finds the credentials, chooses the grant, compares client, scope, verifier
// and redirect URI, and asks the model in the order in which its methods stand here. Only this file imports it.

import OAuth2Server from "oauth2-server";
import { signAccessToken } from "../../auth/access-token.ts";
import { accessTokenLifetime } from "../../auth/revocations.ts";
import type { SigningKeys } from "../../auth/signing-keys.ts";
import { newId } from "../../db/ids.ts";
import { network } from "../../http/addresses.ts";
import type { Handler, OperationRequest } from "../../http/operations.ts";
import { invalidClient, OAuthError } from "../../http/problem.ts";
import type { Limits } from "../../http/rate-limits/rate-limits.ts";
import type { AuthenticateClient } from "../clients/client-authentication.ts";
import type { OAuthClient } from "../clients/clients.ts";
import { type Codes, requireUsableCode, type StoredCode, useUpCode } from "./authorization-code.ts";
import { cannotBeUsed, challengeMethod, type Grant, type GrantStore, readResource } from "./grants.ts";
import { type ClientAndToken, newRefreshToken, type RefreshTokens, requireUsableToken, type StoredRefreshToken } from "./refresh-token.ts";

type TokenDeps = Readonly<{
  brand: string;
  baseUrl: string;
  authenticateClient: AuthenticateClient;
  limits: Limits;
  codes: Codes;
  refreshTokens: RefreshTokens;
  grants: GrantStore;
  signingKeys: SigningKeys;
}>;

type TokenRequest = OperationRequest<"issueToken">;

/** What the library makes of a request. `refreshToken`: that of the answer. */
type Token = { accessToken: string; refreshToken: string; scope: readonly string[]; authorizationCode?: string };

/** For the library, which wants a date. */
const endOfTime = new Date(8.64e15);

export const grantTypes = ["authorization_code", "refresh_token"] as const;

/** The model authenticates: the library would refuse public clients, whatever the type of grant is that they ask for. */
const optionsFor = ({ grant_type: type }: TokenRequest["body"]) => ({
  accessTokenLifetime,
  requireClientAuthentication: { [type]: false },
});

export const issueToken =
  (deps: TokenDeps): Handler<"issueToken"> =>
  async (request) => {
    const limitHeaders: Record<string, string> = {};
    const server = new OAuth2Server({ model: tokenModel(deps, request, limitHeaders), ...optionsFor(request.body) });
    try {
      const token = await server.token(libraryRequest(request), new OAuth2Server.Response());
      const transport = { ...limitHeaders, Pragma: "no-cache" }; // for caches of HTTP/1.0 (RFC 6749 5.1)
      return { status: 200, transport, body: tokenResponse(token as unknown as Token) };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal instanceof OAuthError) Object.assign(refusal.headers, limitHeaders);
      throw refusal;
    }
  };

/** The library takes forms only. The contract has read JSON (interface 4.2) and forms into the same members. */
function libraryRequest({ sent: { method, headers }, query, body }: TokenRequest): OAuth2Server.Request {
  const request = new OAuth2Server.Request({ method, headers: headers as Record<string, string>, query, body });
  return Object.assign(request, { is: () => "application/x-www-form-urlencoded" });
}

/** Headers of the rate limit are added to `limitHeaders` when the client is known. */
function tokenModel(deps: TokenDeps, { caller, body }: TokenRequest, limitHeaders: Record<string, string>) {
  const { baseUrl, codes, grants, refreshTokens } = deps;
  const resource = () => readResource(baseUrl, body.resource);
  const next = newRefreshToken(deps.brand);
  // One statement finds the client and its refresh token: a statement costs more than the rows that it reads by their keys.
  let sender: Promise<ClientAndToken> | undefined;
  const authenticated = () =>
    (sender ??= deps.authenticateClient(caller, body, (clientId) => refreshTokens.findWithClient(clientId, body.refresh_token)));
  const model = {
    /** RFC 6749 2.3. The library would not decode Basic credentials (2.3.1), and would accept two ways of authentication at once. */
    getClient: async () => {
      const { client } = await authenticated();
      Object.assign(limitHeaders, await deps.limits.spend("token", bucketOf(client, caller.address)));
      resource(); // a malformed one is told before what else is wrong
      return { ...client, grants: grantTypes };
    },

    /** RFC 6749 4.1.3. The library would compare the age with the clock of this process; `state` tells it by that of the database. */
    getAuthorizationCode: async (code: string) => {
      const stored = await codes.find(code);
      const { client } = await authenticated();
      const redirectUri = stored?.redirectUri ?? (body.redirect_uri && client.redirectUris[0]); // RFC 6749 3.1.2.3
      const compared = { authorizationCode: code, redirectUri, codeChallengeMethod: challengeMethod, expiresAt: endOfTime };
      return stored && { ...stored, ...compared, ...ownerOf(stored.grant) };
    },

    /** The library would use the code up before it compares the verifier, so that a thief's guess would take it from its client. */
    revokeAuthorizationCode: async (code: StoredCode) => {
      const { client } = await authenticated();
      return requireUsableCode(grants, code, { client, resource: resource() });
    },

    /** RFC 6749 6. */
    getRefreshToken: async (token: string) => {
      const { refreshToken: stored } = await authenticated();
      return stored && { ...stored, refreshToken: token, ...ownerOf(stored.grant) };
    },

    /** The library would compare the scope after the rotation, so that a scope that is too wide would use the token up. */
    revokeToken: async (token: StoredRefreshToken & { refreshToken: string }) => {
      requireUsableToken(token, { scope: body.scope, resource: resource(), baseUrl });
      const { client } = await authenticated();
      return refreshTokens.rotate({ used: token.refreshToken, next }, client);
    },

    /** RFC 9068 2.2. */
    generateAccessToken: ({ id, applicationId }: OAuthClient, grant: Grant, scopes: readonly string[]) => {
      const about = { sub: grant.streamerId, client_id: id, application_id: applicationId, grant_id: grant.id };
      const aud = grant.resource ?? resource() ?? baseUrl;
      return signAccessToken(deps.signingKeys, { iss: baseUrl, aud, ...about, scope: scopeText(scopes), jti: newId() });
    },

    generateRefreshToken: async () => next,

    /** A refresh token is stored already, by its rotation. */
    saveToken: async (token: Token, client: OAuthClient, user: Grant) => {
      const { authorizationCode: code } = token;
      if (code !== undefined) await useUpCode(deps, code, { grantId: user.id, resource: resource(), token: next });
      return { ...token, client, user };
    },
  };
  return model as unknown as OAuth2Server.ServerOptions["model"]; // its type has methods that only other endpoints call
}

/** Whose a code or refresh token is, as the library calls it. */
function ownerOf(grant: Grant) {
  return { client: { id: grant.clientId }, user: grant, scope: grant.scopes };
}

/** A public client has one bucket per network, because anybody can name a public client and could otherwise use up the limit of others. */
function bucketOf({ id, public: isPublic }: OAuthClient, address: string): string {
  return isPublic ? `${id} ${network(address)}` : id;
}

/** RFC 6749 5.1. */
function tokenResponse({ accessToken, refreshToken, scope }: Token) {
  return {
    access_token: accessToken,
    token_type: "Bearer" as const,
    expires_in: accessTokenLifetime,
    refresh_token: refreshToken,
    scope: scopeText(scope),
  };
}

/** A scope may be requested twice. */
function scopeText(scopes: readonly string[]): string {
  return [...new Set(scopes)].join(" ");
}

/** Turns a refusal of the library into ours, and unpacks what the model threw. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError)) return error;
  if (error.code >= 500) return (error as { inner?: unknown }).inner ?? error;
  const { message } = error;
  return (refusals.find(([pattern]) => pattern.test(message))?.[1] ?? cannotBeUsed)();
}

/** By messages of the library, because its codes differ from ours (RFC 6749 5.2). What fits none is no longer usable, or does not match. */
const refusals: readonly (readonly [message: RegExp, refuse: () => OAuthError])[] = [
  [/^Invalid client:|`client_(?:id|secret)`/, invalidClient],
  [/`grant_type`/, () => new OAuthError("unsupported_grant_type", `grant_type must be ${grantTypes.join(" or ")}.`)],
  [/^Missing parameter: `code`/, () => new OAuthError("invalid_request", "code is required.")],
  [/^Missing parameter: `refresh_token`/, () => new OAuthError("invalid_request", "refresh_token is required.")],
  [/authorization code is invalid|^Invalid parameter: `code`/, () => new OAuthError("invalid_grant", "This client has no such code.")],
  [/refresh token is invalid$|to another client|^Invalid parameter: `refresh_token`/, noSuchToken],
];

function noSuchToken(): OAuthError {
  return new OAuthError("invalid_grant", "This client has no such refresh token.");
}
