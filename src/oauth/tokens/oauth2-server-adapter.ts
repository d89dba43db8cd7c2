// The only file that imports oauth2-server. token.ts has checked client, parameters, resource and scope; oauth2-server asks its model for
// the code, uses it up or replaces the refresh token, checks redirect URI and PKCE, and then asks for the new tokens. A code that redirect
// URI or PKCE does not fit is not given to it: it would be used up, and its own client could not exchange it any more.

import { hash } from "node:crypto";
import OAuth2Server from "oauth2-server";
import { accessTokenLifetime } from "../../auth/denials.ts";
import { OAuthError } from "../../http/oauth-error.ts";
import type { OAuthClient } from "../clients/clients.ts";
import type { Grant, GrantStore, StoredCode } from "./grants.ts";

/** One exchange of a code or refresh token. */
export type Exchange = Readonly<{
  client: OAuthClient;
  grant: Grant;
  /** The redirect URI and challenge of the code; null for a refresh token. */
  code: Pick<StoredCode, "redirectUri" | "codeChallenge"> | null;
  /** Requested in this exchange; null when none was. */
  resource: string | null;
  parameters: Readonly<{
    grant_type: string;
    code?: string | undefined;
    redirect_uri?: string | undefined;
    code_verifier?: string | undefined;
    refresh_token?: string | undefined;
    scope?: string | undefined;
  }>;
  sign: (scopes: readonly string[]) => Promise<string>;
}>;

export type Tokens = Readonly<{ accessToken: string; refreshToken: string; scopes: readonly string[] }>;

type Grants = Pick<GrantStore, "useCode" | "rotate" | "revoke">;

// The library's types require methods that only its other endpoints call.
type Model = Omit<OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel, "getAccessToken" | "saveAuthorizationCode">;

const grantTypes = ["authorization_code", "refresh_token"];
const options = {
  accessTokenLifetime,
  // The client is authenticated already. With this on, the library would accept a confidential client that sends only a verifier.
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
};

/** Uses the code or refresh token up and creates tokens. Throws invalid_grant, or the error of a store or of signing. */
export async function exchangeGrant(grants: Grants, exchange: Exchange): Promise<Tokens> {
  const server = new OAuth2Server({ model: modelOf(grants, exchange) as unknown as OAuth2Server.ServerOptions["model"] });
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

/** The library's model, for this one exchange. */
function modelOf(grants: Grants, exchange: Exchange): Model {
  const client = { id: exchange.client.id, grants: grantTypes };
  const user = { id: exchange.grant.streamerId };
  const scope = [...exchange.grant.scopes];
  let successor: string | null = null;
  return {
    getClient: async () => client,
    getAuthorizationCode: async (authorizationCode) => {
      const conditions = codeConditions(exchange);
      return isMet(conditions, exchange.parameters) && { authorizationCode, client, user, scope, ...conditions };
    },
    revokeAuthorizationCode: async ({ authorizationCode }) => {
      successor = await grants.useCode(authorizationCode, { grantId: exchange.grant.id, resource: exchange.resource });
      if (successor !== null) return true;
      await grants.revoke(exchange.grant.id); // the code was used at the same time elsewhere (RFC 6749 4.1.2)
      return false;
    },
    getRefreshToken: async (refreshToken) => ({ refreshToken, client, user, scope }),
    revokeToken: async ({ refreshToken }) => (successor = await grants.rotate(refreshToken, exchange.client)) !== null,
    generateAccessToken: (_client, _user, scopes) => exchange.sign(scopes),
    generateRefreshToken: async () => successor ?? "", // one of the two methods above was called before
    saveToken: async (token) => ({ ...token, client, user }),
  };
}

/** What a request with the code is checked against. Its age was checked before, with the database's clock, so here it never expires. */
function codeConditions({ client, code, parameters }: Exchange) {
  // When the authorization request named none, the only registered one was used, and the client may send it here (RFC 6749 3.1.2.3).
  const redirectUri = code?.redirectUri ?? (parameters.redirect_uri && client.redirectUris[0]) ?? "";
  return { redirectUri, codeChallenge: code?.codeChallenge ?? undefined, codeChallengeMethod: "S256", expiresAt: new Date(8.64e15) };
}

type Conditions = Pick<ReturnType<typeof codeConditions>, "redirectUri" | "codeChallenge">;

/** RFC 6749 4.1.3, RFC 7636 4.1 and 4.6. A challenge is no secret, so that it need not be compared in constant time. */
function isMet({ redirectUri, codeChallenge }: Conditions, { redirect_uri, code_verifier }: Exchange["parameters"]): boolean {
  if (redirectUri !== "" && redirect_uri !== redirectUri) return false;
  if (codeChallenge === undefined) return !code_verifier;
  return /^[\w.~-]{43,128}$/.test(code_verifier ?? "") && hash("sha256", code_verifier ?? "", "base64url") === codeChallenge;
}

/** Turns every refusal of the library into invalid_grant, because parameters and scope were checked before. */
function translateError(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError) || error.code >= 500) return (error as { inner?: unknown }).inner ?? error;
  return new OAuthError(
    "invalid_grant",
    "The code or refresh token can no longer be used, or redirect_uri or code_verifier does not match it.",
  );
}
