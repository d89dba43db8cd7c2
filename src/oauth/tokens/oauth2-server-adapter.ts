// The only file that imports oauth2-server. The file of each grant has checked the code or refresh token; oauth2-server checks redirect URI
// and PKCE once more, has the code used up or the refresh token replaced, and then asks for the new tokens.

import OAuth2Server from "oauth2-server";
import { signAccessToken } from "../../auth/access-token.ts";
import { accessTokenLifetime } from "../../auth/revocations.ts";
import type { SigningKeys } from "../../auth/signing-keys.ts";
import { newId } from "../../db/ids.ts";
import { OAuthError } from "../../http/problem.ts";
import type { OAuthClient } from "../clients/clients.ts";
import type { Grant } from "./grants.ts";

/** What a request with a code is checked against. `redirectUri`: empty when the request needs none. */
export type CodeConditions = Readonly<{ redirectUri: string; codeChallenge: string | undefined }>;

/** One exchange of a code or refresh token. */
export type Exchange = Readonly<{
  client: OAuthClient;
  grant: Grant;
  /** The resource of the access token. */
  audience: string;
  /** Null for a refresh token. */
  code: CodeConditions | null;
  parameters: Readonly<{
    grant_type: string;
    code?: string | undefined;
    redirect_uri?: string | undefined;
    code_verifier?: string | undefined;
    refresh_token?: string | undefined;
    scope?: string | undefined;
  }>;
  /** Uses the code or refresh token up, and resolves to the refresh token that follows it; null when it can no longer be used. */
  replace: () => Promise<string | null>;
}>;

export type Tokens = Readonly<{ accessToken: string; refreshToken: string; scopes: readonly string[] }>;

export type Signing = Readonly<{ baseUrl: string; signingKeys: SigningKeys }>;

// The library's types require methods that only its other endpoints call.
type Model = Omit<OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel, "getAccessToken" | "saveAuthorizationCode">;

const grantTypes = ["authorization_code", "refresh_token"];
const options = {
  accessTokenLifetime,
  // The client is authenticated already. With this on, the library would accept a confidential client that sends only a verifier.
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
};

/** Uses the code or refresh token up and creates tokens. Throws invalid_grant, or the error of `replace` or of signing. */
export async function exchangeGrant(signing: Signing, exchange: Exchange): Promise<Tokens> {
  const server = new OAuth2Server({ model: modelOf(signing, exchange) as unknown as OAuth2Server.ServerOptions["model"] });
  try {
    const token = await server.token(formRequest(exchange), new OAuth2Server.Response(), options);
    return { accessToken: token.accessToken, refreshToken: token.refreshToken ?? "", scopes: token.scope ?? [] };
  } catch (error) {
    throw translateError(error);
  }
}

/** The library reads form bodies only. */
function formRequest({ client, parameters }: Exchange): OAuth2Server.Request {
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "1" };
  return new OAuth2Server.Request({ method: "POST", query: {}, headers, body: { ...parameters, client_id: client.id } });
}

/** The library's model, for this one exchange. The age of a code was checked with the database's clock, so that here it never expires. */
function modelOf(signing: Signing, exchange: Exchange): Model {
  const client = { id: exchange.client.id, grants: grantTypes };
  const user = { id: exchange.grant.streamerId };
  const scope = [...exchange.grant.scopes];
  const conditions = { codeChallengeMethod: "S256", expiresAt: new Date(8.64e15), redirectUri: "", ...exchange.code };
  let successor: string | null = null;
  const replace = async () => (successor = await exchange.replace()) !== null;
  return {
    getClient: async () => client,
    getAuthorizationCode: async (authorizationCode) => ({ authorizationCode, client, user, scope, ...conditions }),
    revokeAuthorizationCode: replace,
    getRefreshToken: async (refreshToken) => ({ refreshToken, client, user, scope }),
    revokeToken: replace,
    generateAccessToken: (_client, _user, scopes) => sign(signing, exchange, scopes),
    generateRefreshToken: async () => successor ?? "", // `replace` was called before
    saveToken: async (token) => ({ ...token, client, user }),
  };
}

/** RFC 9068 2.2. */
function sign({ baseUrl, signingKeys }: Signing, { client, grant, audience }: Exchange, scopes: readonly string[]): Promise<string> {
  const application = { client_id: client.id, application_id: client.applicationId, grant_id: grant.id };
  const claims = { iss: baseUrl, aud: audience, sub: grant.streamerId, ...application, scope: scopes.join(" "), jti: newId() };
  return signAccessToken(signingKeys, claims);
}

/** Turns every refusal of the library into invalid_grant, because parameters and scope were checked before. */
function translateError(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError) || error.code >= 500) return (error as { inner?: unknown }).inner ?? error;
  return cannotBeUsed();
}

/** One description for all of these. */
export function cannotBeUsed(): OAuthError {
  return new OAuthError(
    "invalid_grant",
    "The code or refresh token can no longer be used, or redirect_uri or code_verifier does not match it.",
  );
}
