// Requests to the token endpoint, for tests.

import { ask, callback, type OAuthFixture, pkce, type TestClient } from "./testing.ts";
import type { Approval } from "./tokens/grants.ts";
import { issueToken } from "./tokens/token.ts";

type Body = Parameters<typeof ask<"issueToken">>[1];

export function tokenRequests(fixture: () => OAuthFixture) {
  const exchange = (client: TestClient, code: string, parameters: Partial<Body> = {}) =>
    ask(issueToken(fixture().deps), { grant_type: "authorization_code", redirect_uri: callback, ...client, code, ...parameters });

  const refresh = (client: TestClient, token: string, parameters: Partial<Body> = {}) =>
    ask(issueToken(fixture().deps), { grant_type: "refresh_token", refresh_token: token, ...client, ...parameters });

  /** A client with the tokens of a new grant. */
  const connected = async (approval: Partial<Approval> = {}, owner?: TestClient) => {
    const client = owner ?? (await fixture().client());
    const { verifier, challenge } = pkce();
    const code = await fixture().approve(client, { codeChallenge: challenge, ...approval });
    const { body } = await exchange(client, code, { code_verifier: verifier });
    if (!body) throw new Error("no tokens");
    return { client, code, tokens: body };
  };

  return { exchange, refresh, connected };
}
