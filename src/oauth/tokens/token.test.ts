import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Principal } from "../../http/operations.ts";
import { ask, baseUrl, callback, granted, type OAuthFixture, openOAuthFixture, pkce, requestWith, tokenRequests } from "../testing.ts";
import { issueToken } from "./token.ts";

let fixture: OAuthFixture;
const { connected, exchange, refresh } = tokenRequests(() => fixture);

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

test("exchanging a code answers with an RFC 9068 access token, a refresh token and all members of the response", async () => {
  const client = await fixture.client();
  const streamerId = await fixture.streamer();
  const { error, body } = await exchange(client, await fixture.approve(client, { streamerId }));
  expect(error).toBeNull();
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: "Bearer",
    expires_in: 3600,
    refresh_token: expect.stringMatching(/^namjai_r1_[0-9A-Za-z]{40}$/),
    scope: granted.join(" "),
  });
  const keys = createLocalJWKSet({ keys: [...fixture.signingKeys.publicKeys()] });
  const { payload, protectedHeader } = await jwtVerify(body?.access_token as string, keys, {
    issuer: baseUrl,
    audience: baseUrl,
    typ: "at+jwt",
  });
  const { id: grantId } = await fixture.database.knex("oauth_grants").where({ client_id: client.client_id }).first("id");
  const application = (await fixture.clients.find(client.client_id))?.applicationId;
  expect(protectedHeader.alg).toBe("ES256");
  expect(payload).toMatchObject({ sub: streamerId, client_id: client.client_id, application_id: application, grant_id: grantId });
  expect(payload).toMatchObject({ scope: granted.join(" "), jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) });
  expect((payload.exp as number) - (payload.iat as number)).toBe(3600);
});

test("two access tokens of one grant have different values of jti", async () => {
  const { client, tokens } = await connected();
  const next = await refresh(client, tokens.refresh_token);
  expect(decodeJwt(next.body?.access_token as string).jti).not.toBe(decodeJwt(tokens.access_token).jti);
});

// `approved`: resource of the authorization request; `first`: of the code's exchange; `second`: of a refresh.
const mcp = `${baseUrl}/mcp`;
test.each([
  [null, undefined, undefined, [baseUrl, baseUrl]],
  [null, `${baseUrl}/`, baseUrl, [baseUrl, baseUrl]],
  [null, mcp, undefined, [mcp, mcp]],
  [null, mcp, mcp, [mcp, mcp]],
  [null, mcp, baseUrl, [mcp, "invalid_target"]],
  [null, undefined, mcp, [baseUrl, "invalid_target"]],
  [baseUrl, undefined, `${baseUrl}/`, [baseUrl, baseUrl]],
  [mcp, undefined, undefined, [mcp, mcp]],
  [mcp, mcp, mcp, [mcp, mcp]],
  [mcp, baseUrl, undefined, ["invalid_target"]],
  [mcp, mcp, baseUrl, [mcp, "invalid_target"]],
])(
  "a grant approved for resource %s, exchanged for %s and refreshed for %s gives the audiences or errors %j (RFC 8707)",
  async (approved, first, second, expected) => {
    const client = await fixture.client();
    const seen = (answer: { error: string | null; body: { access_token: string } | undefined }) =>
      answer.error ?? decodeJwt(answer.body?.access_token as string).aud;
    const exchanged = await exchange(client, await fixture.approve(client, { resource: approved }), { resource: first });
    const audiences = [seen(exchanged)];
    if (exchanged.body) audiences.push(seen(await refresh(client, exchanged.body.refresh_token, { resource: second })));
    expect(audiences).toEqual(expected);
  },
);

test.each([
  `${baseUrl}/mcp/`,
  `${baseUrl}/api/v1`,
  "https://elsewhere.example",
  `${baseUrl}//`,
  `${baseUrl}#`,
  baseUrl.toUpperCase(),
  "mcp",
])("the resource %s is invalid_target and keeps the code and refresh token working", async (resource) => {
  const client = await fixture.client({ public: true });
  const { verifier, challenge } = pkce();
  const code = await fixture.approve(client, { codeChallenge: challenge });
  expect((await exchange(client, code, { code_verifier: verifier, resource })).error).toBe("invalid_target");
  const { error, body } = await exchange(client, code, { code_verifier: verifier });
  expect(error).toBeNull();
  expect((await refresh(client, body?.refresh_token as string, { resource })).error).toBe("invalid_target");
  expect((await refresh(client, body?.refresh_token as string)).error).toBeNull();
});

test("the client is authenticated before any other parameter is checked", async () => {
  const { client, tokens } = await connected();
  const impostor = { ...client, client_secret: "wrong" };
  expect((await refresh(impostor, tokens.refresh_token, { grant_type: "password", resource: "nowhere" })).error).toBe("invalid_client");
  expect((await refresh(impostor, tokens.refresh_token)).error).toBe("invalid_client");
  expect((await exchange({ client_id: client.client_id }, "code", { code_verifier: pkce().verifier })).error).toBe("invalid_client");
});

test.each([
  ["password", {}, "unsupported_grant_type"],
  ["client_credentials", {}, "unsupported_grant_type"],
  ["constructor", {}, "unsupported_grant_type"],
  ["__proto__", {}, "unsupported_grant_type"],
  ["Refresh_token", {}, "unsupported_grant_type"],
  ["authorization_code", {}, "invalid_request"],
  ["refresh_token", {}, "invalid_request"],
  ["authorization_code", { refresh_token: "namjai_r1_x" }, "invalid_request"],
  ["authorization_code", { code: "unknown" }, "invalid_grant"],
  ["refresh_token", { refresh_token: "namjai_r1_unknown" }, "invalid_grant"],
])("a request with grant_type %s and the parameters %j is %s, of a confidential client as of a public one", async (...row) => {
  const [grant_type, parameters, expected] = row;
  for (const isPublic of [false, true]) {
    const client = await fixture.client({ public: isPublic });
    expect((await ask(issueToken(fixture.deps), { grant_type, ...parameters, ...client })).error).toBe(expected);
  }
});

const unsupported = "grant_type must be authorization_code or refresh_token.";
const noCode = "This client has no such code.";
const noToken = "This client has no such refresh token.";
const mismatch = "The code or refresh token can no longer be used, or redirect_uri or code_verifier does not match it.";

test.each([
  [{ client_id: undefined, client_secret: undefined }, "invalid_client", "The client is unknown or its secret is wrong."],
  [{ client_id: "ก" }, "invalid_client", "The client is unknown or its secret is wrong."],
  [{ client_secret: "ก" }, "invalid_client", "The client is unknown or its secret is wrong."],
  [{ grant_type: "password" }, "unsupported_grant_type", unsupported],
  [{ grant_type: "a b" }, "unsupported_grant_type", unsupported],
  [{ grant_type: "urn:x:y" }, "unsupported_grant_type", unsupported],
  [{ code: undefined }, "invalid_request", "code is required."],
  [{ code: "x" }, "invalid_grant", noCode],
  [{ code: "ก" }, "invalid_grant", noCode],
  [{ redirect_uri: "callback" }, "invalid_grant", mismatch],
  [{ redirect_uri: `${callback}/` }, "invalid_grant", mismatch],
  [{ code_verifier: undefined }, "invalid_grant", mismatch],
  [{ code_verifier: "short" }, "invalid_grant", mismatch],
  [{ code_verifier: pkce().verifier }, "invalid_grant", mismatch],
  [{ grant_type: "refresh_token" }, "invalid_request", "refresh_token is required."],
  [{ grant_type: "refresh_token", refresh_token: "x" }, "invalid_grant", noToken],
  [{ grant_type: "refresh_token", refresh_token: "ก" }, "invalid_grant", noToken],
])("an exchange with %j instead of what is right is refused with %s: %s", async (wrong, code, message) => {
  const client = await fixture.client();
  const { verifier, challenge } = pkce();
  const right = { code: await fixture.approve(client, { codeChallenge: challenge }), redirect_uri: callback, code_verifier: verifier };
  const body = { grant_type: "authorization_code", ...client, ...right, ...wrong };
  await expect(issueToken(fixture.deps)(requestWith<"issueToken">(body), {} as Principal)).rejects.toMatchObject({ code, message });
});

test("an internal failure is not an OAuth error: the cause is thrown as it is", async () => {
  const client = await fixture.client();
  const code = await fixture.approve(client);
  const lost = Object.assign(new Error("connection lost"), { code: "ECONNRESET" });
  const codes = { ...fixture.codes, use: () => Promise.reject(lost) };
  const body = { grant_type: "authorization_code", code, redirect_uri: callback, ...client };
  await expect(ask(issueToken({ ...fixture.deps, codes }), body)).rejects.toBe(lost);
});
