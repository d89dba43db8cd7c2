// The only file that knows oauth2-server. It is given a request whose client, parameters, resource and scope were checked;
// it does the grants: a code used once, PKCE, redirect URI, a refresh token for its successor.

import OAuth2Server from "oauth2-server";
import { accessTokenLifetime } from "../auth/denials.ts";
import { OAuthError } from "../http/oauth-error.ts";
import type { OAuthClient } from "./clients.ts";
import type { Grant, GrantStore, StoredCode } from "./grants.ts";

/** One exchange of a code or refresh token. */
export type Exchange = Readonly<{
  client: OAuthClient;
  grant: Grant;
  /** What an exchanged code was made for; null for a refresh token. */
  code: Pick<StoredCode, "redirectUri" | "codeChallenge"> | null;
  /** Asked for now; null when none was named. */
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

type Grants = Pick<GrantStore, "useCode" | "activate" | "rotate" | "revoke">;

// The types ask for what only other endpoints of the library call.
type Model = Omit<OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel, "getAccessToken" | "saveAuthorizationCode">;

const grantTypes = ["authorization_code", "refresh_token"];
const options = {
  accessTokenLifetime,
  // The client has authenticated; with this on, the library would let a confidential one through that sends a verifier only.
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
};

/** Uses up what was presented and makes tokens. Throws invalid_grant, or whatever a store or signature throws. */
export async function exchangeGrant(grants: Grants, exchange: Exchange): Promise<Tokens> {
  const server = new OAuth2Server({ model: modelOf(grants, exchange) as unknown as OAuth2Server.ServerOptions["model"] });
  try {
    const token = await server.token(formRequest(exchange), new OAuth2Server.Response(), options);
    return { accessToken: token.accessToken, refreshToken: token.refreshToken ?? "", scopes: token.scope ?? [] };
  } catch (error) {
    throw translated(error);
  }
}

/** The library reads forms only. */
function formRequest({ client, parameters }: Exchange): OAuth2Server.Request {
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "1" };
  return new OAuth2Server.Request({ method: "POST", query: {}, headers, body: { ...parameters, client_id: client.id } });
}

/** What the library asks for, for this exchange alone. */
function modelOf(grants: Grants, exchange: Exchange): Model {
  const client = { id: exchange.client.id, grants: grantTypes };
  const user = { id: exchange.grant.streamerId };
  const scope = [...exchange.grant.scopes];
  let successor: string | null = null;
  return {
    getClient: async () => client,
    getAuthorizationCode: async (authorizationCode) => ({ authorizationCode, client, user, scope, ...codeTerms(exchange) }),
    revokeAuthorizationCode: async ({ authorizationCode }) => {
      if (await grants.useCode(authorizationCode)) return true;
      await grants.revoke(exchange.grant.id); // used twice at once (RFC 6749 4.1.2)
      return false;
    },
    getRefreshToken: async (refreshToken) => ({ refreshToken, client, user, scope }),
    revokeToken: async ({ refreshToken }) => (successor = await grants.rotate(refreshToken, exchange.client)) !== null,
    generateAccessToken: (_client, _user, scopes) => exchange.sign(scopes),
    generateRefreshToken: async () => successor ?? grants.activate(exchange.grant.id, exchange.resource),
    saveToken: async (token) => ({ ...token, client, user }),
  };
}

/** What a code must fit. Its age was judged before, by the database's clock. */
function codeTerms({ client, code, parameters }: Exchange) {
  // Without one in the authorization request it was the registered one, and a client may say so (RFC 6749 3.1.2.3).
  const redirectUri = code?.redirectUri ?? (parameters.redirect_uri && client.redirectUris[0]) ?? "";
  return { redirectUri, codeChallenge: code?.codeChallenge ?? undefined, codeChallengeMethod: "S256", expiresAt: new Date(8.64e15) };
}

/** Parameters and scope were checked before, so that what the library refuses is the grant. */
function translated(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError) || error.code >= 500) return (error as { inner?: unknown }).inner ?? error;
  return new OAuthError("invalid_grant", "The code or refresh token is not good any more, or redirect_uri or code_verifier do not fit it.");
}
