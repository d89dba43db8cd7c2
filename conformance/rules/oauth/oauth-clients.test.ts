import { randomUUID } from "node:crypto";
import * as oauth4webapi from "oauth4webapi";
import * as openid from "openid-client";
import { AuthorizationCode } from "simple-oauth2";
import { beforeEach, describe, expect, test } from "vitest";

import { expectProblem, me } from "../../suite/client/api.ts";
import { approve } from "../../suite/client/oauth/authorization.ts";
import { clientOf, needsClients } from "../../suite/client/oauth/oauth-client.ts";
import { donation } from "../../suite/values/donations.ts";
import { remember } from "../../suite/values/redact.ts";
import { type ClientHolder, target } from "../../suite/values/target.ts";

// Widely used OAuth libraries, unmodified: each must get from the authorization URL to a revoked token.

beforeEach(needsClients);

type Tokens = { access: string; refresh: string };

type Library = {
  authorizationUrl: () => Promise<URL>;
  /** `callback`: the redirect URI with the code, as the browser received it. */
  redeem: (callback: URL) => Promise<Tokens>;
  refresh: (refresh: string) => Promise<Tokens>;
  revoke: (tokens: Tokens, which: keyof Tokens) => Promise<void>;
};

const redirectUri = "https://client.example/callback";
const scope = "write:donations read:donations";

async function donate(access: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${access}`, "Content-Type": "application/json" };
  return fetch(`${target().url}/api/v1/donations`, { method: "POST", headers, body: JSON.stringify(donation()) });
}

/** Runs a grant through its whole life: code, token, donation, refresh, revocation, refusal. */
async function runThroughLife(library: Library): Promise<void> {
  const url = await library.authorizationUrl();
  const first = remembered(await library.redeem(await approve(url.pathname + url.search)));
  expect((await donate(first.access)).status).toBe(201);

  const second = remembered(await library.refresh(first.refresh));
  expect((await donate(second.access)).status).toBe(201);

  await library.revoke(second, "access");
  expectProblem(await me({ key: second.access }), 401, "token_revoked");
  expect((await donate(first.access)).status).toBe(201);

  const third = remembered(await library.refresh(second.refresh));
  await library.revoke(third, "refresh");
  for (const { access } of [first, second, third]) expectProblem(await me({ key: access }), 401, "token_revoked");
  await expect(library.refresh(third.refresh)).rejects.toThrow();
}

function remembered(tokens: Tokens): Tokens {
  remember(tokens.access, tokens.refresh);
  return tokens;
}

describe("oauth4webapi", () => {
  const authentications: [string, ClientHolder, (secret: string) => oauth4webapi.ClientAuth][] = [
    ["client_secret_basic", "confidential", oauth4webapi.ClientSecretBasic],
    ["client_secret_post", "confidential", oauth4webapi.ClientSecretPost],
    ["none", "public", () => oauth4webapi.None()],
  ];
  const http = { [oauth4webapi.allowInsecureRequests]: true };

  async function library(holder: ClientHolder, authentication: (secret: string) => oauth4webapi.ClientAuth): Promise<Library> {
    const issuer = new URL(target().url);
    const discovery = await oauth4webapi.discoveryRequest(issuer, { algorithm: "oauth2", ...http });
    const server = await oauth4webapi.processDiscoveryResponse(issuer, discovery);
    const client: oauth4webapi.Client = { client_id: clientOf(holder).id };
    const proof = authentication(String(clientOf(holder).secret));
    const [verifier, state] = [oauth4webapi.generateRandomCodeVerifier(), oauth4webapi.generateRandomState()];
    remember(verifier);
    const tokens = ({ access_token, refresh_token }: oauth4webapi.TokenEndpointResponse): Tokens => ({
      access: access_token,
      refresh: String(refresh_token),
    });
    return {
      authorizationUrl: async () => {
        const url = new URL(String(server.authorization_endpoint));
        const challenge = await oauth4webapi.calculatePKCECodeChallenge(verifier);
        const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
        const request = { client_id: client.client_id, redirect_uri: redirectUri, response_type: "code", scope, state, ...pkce };
        url.search = new URLSearchParams(request).toString();
        return url;
      },
      redeem: async (callback) => {
        const parameters = oauth4webapi.validateAuthResponse(server, client, callback, state);
        const reply = await oauth4webapi.authorizationCodeGrantRequest(server, client, proof, parameters, redirectUri, verifier, http);
        const answer = await oauth4webapi.processAuthorizationCodeResponse(server, client, reply);
        await expectValid(server, answer.access_token, client.client_id);
        return tokens(answer);
      },
      refresh: async (refresh) => {
        const reply = await oauth4webapi.refreshTokenGrantRequest(server, client, proof, refresh, http);
        return tokens(await oauth4webapi.processRefreshTokenResponse(server, client, reply));
      },
      revoke: async (held, which) => {
        const reply = await oauth4webapi.revocationRequest(server, client, proof, held[which], http);
        await oauth4webapi.processRevocationResponse(reply);
      },
    };
  }

  /** Verifies the token like a resource server, with the published keys. */
  async function expectValid(server: oauth4webapi.AuthorizationServer, token: string, clientId: string): Promise<void> {
    const request = new Request(`${target().url}/api/v1/donations`, { headers: { Authorization: `Bearer ${token}` } });
    const claims = await oauth4webapi.validateJwtAccessToken(server, request, target().url, http);
    expect([claims.client_id, claims.scope]).toEqual([clientId, scope]);
    const foreign = oauth4webapi.validateJwtAccessToken(server, request, "https://other.example", http);
    await expect(foreign).rejects.toThrow();
  }

  test.each(authentications)("oauth4webapi completes a grant's life with %s", async (_, holder, authentication) =>
    runThroughLife(await library(holder, authentication)),
  );
});

describe("openid-client", () => {
  const authentications: [string, ClientHolder, (secret: string) => openid.ClientAuth][] = [
    ["client_secret_basic", "confidential", openid.ClientSecretBasic],
    ["client_secret_post", "confidential", openid.ClientSecretPost],
    ["none", "public", () => openid.None()],
  ];

  async function library(holder: ClientHolder, authentication: (secret: string) => openid.ClientAuth): Promise<Library> {
    const proof = authentication(String(clientOf(holder).secret));
    const options: openid.DiscoveryRequestOptions = { algorithm: "oauth2", execute: [openid.allowInsecureRequests] };
    const config = await openid.discovery(new URL(target().url), clientOf(holder).id, undefined, proof, options);
    const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
    remember(verifier);
    const tokens = ({ access_token, refresh_token }: openid.TokenEndpointResponse): Tokens => ({
      access: access_token,
      refresh: String(refresh_token),
    });
    return {
      authorizationUrl: async () => {
        const pkce = { code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: "S256" };
        return openid.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope, state, ...pkce });
      },
      redeem: async (callback) =>
        tokens(await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier: verifier, expectedState: state })),
      refresh: async (refresh) => tokens(await openid.refreshTokenGrant(config, refresh)),
      revoke: (held, which) => openid.tokenRevocation(config, held[which]),
    };
  }

  test.each(authentications)("openid-client completes a grant's life with %s", async (_, holder, authentication) =>
    runThroughLife(await library(holder, authentication)),
  );
});

describe("simple-oauth2", () => {
  type Options = { bodyFormat: "form" | "json"; authorizationMethod: "header" | "body" };
  const all: Options[] = (["form", "json"] as const).flatMap((bodyFormat) =>
    (["header", "body"] as const).map((authorizationMethod) => ({ bodyFormat, authorizationMethod })),
  );

  function library(options: Options): Library {
    const { id, secret } = clientOf("confidential");
    const client = new AuthorizationCode({ client: { id, secret: String(secret) }, auth: { tokenHost: target().url }, options });
    const state = randomUUID();
    const tokens = ({ token }: { token: Record<string, unknown> }): Tokens => ({
      access: String(token.access_token),
      refresh: String(token.refresh_token),
    });
    const held = ({ access, refresh }: Tokens) => client.createToken({ access_token: access, refresh_token: refresh, expires_in: 3600 });
    return {
      authorizationUrl: async () => new URL(client.authorizeURL({ redirect_uri: redirectUri, scope, state })),
      redeem: async (callback) => {
        expect(callback.searchParams.get("state")).toBe(state);
        return tokens(await client.getToken({ code: String(callback.searchParams.get("code")), redirect_uri: redirectUri }));
      },
      refresh: async (refresh) => tokens(await held({ access: "", refresh }).refresh()),
      revoke: (mine, which) => held(mine).revoke(`${which}_token`),
    };
  }

  test.each(all)("simple-oauth2 completes a grant's life with $bodyFormat, client in the $authorizationMethod", (options) =>
    runThroughLife(library(options)),
  );
});
