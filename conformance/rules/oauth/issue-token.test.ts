import { beforeEach, describe, expect, test } from "vitest";
import { expectProblem, me } from "../../suite/client/api.ts";
import {
  clientOf,
  encodings,
  exchange,
  expectAccess,
  expectError,
  needsClients,
  newCode,
  newGrant,
  postAs,
  refresh,
  scopesIn,
  tokensOf,
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import { scopes } from "../../suite/contract/contract.ts";
import { claimsOf, headerOf, publicKeys } from "../../suite/servers/forged-tokens.ts";
import { target } from "../../suite/values/target.ts";

beforeEach(needsClients);

const answered = { access_token: expect.stringMatching(/^eyJ/), token_type: "Bearer", expires_in: 3600, refresh_token: expect.any(String) };

describe.each(ways)("as $as, client in $by", (how) => {
  test("a code is exchanged for tokens; token_type, expires_in and scope are always answered", async () => {
    const client = clientOf("confidential");
    const tokens = tokensOf(await exchange(client, await newCode(client), how));
    expect(tokens).toEqual({ ...answered, scope: expect.any(String) });
    expect(scopesIn(tokens.scope)).toEqual([...scopes].sort());
    await expectAccess(tokens);
  });

  test("a refresh token is exchanged for new tokens", async () => {
    const client = clientOf("confidential");
    const before = await newGrant(client);
    const after = tokensOf(await refresh(client, before.refresh_token, {}, how));
    expect(after).toEqual({ ...answered, scope: before.scope });
    expect(after.access_token).not.toBe(before.access_token);
    expect(after.refresh_token).not.toBe(before.refresh_token);
    for (const tokens of [before, after]) await expectAccess(tokens);
  });
});

test.each(encodings)("a public client sends its client_id and no secret: %s", async (as) => {
  const client = clientOf("public");
  const { refresh_token } = tokensOf(await exchange(client, await newCode(client), { as }));
  expect(tokensOf(await refresh(client, refresh_token, {}, { as }))).toMatchObject(answered);
});

test.each([
  "password",
  "client_credentials",
  "implicit",
  "urn:ietf:params:oauth:grant-type:device_code",
  "urn:ietf:params:oauth:grant-type:token-exchange",
  "AUTHORIZATION_CODE",
  "authorization_code ",
  "refresh-token",
])("grant_type %j is refused with unsupported_grant_type", async (grant_type) => {
  for (const how of ways)
    expectError(await postAs(clientOf("confidential"), "/oauth/token", { grant_type, code: "x" }, how), "unsupported_grant_type");
});

test.each(["grant_type", "code", "refresh_token"])("a request without its %s is refused with invalid_request", async (left) => {
  const grant_type = left === "code" ? "authorization_code" : left === "refresh_token" ? "refresh_token" : undefined;
  for (const how of ways) {
    expectError(await postAs(clientOf("confidential"), "/oauth/token", { grant_type }, how), "invalid_request");
    expectError(await postAs(clientOf("confidential"), "/oauth/token", { grant_type, [left]: "" }, how), "invalid_request");
  }
});

describe("the access token (RFC 9068)", () => {
  test("an access token is signed with ES256, typed at+jwt, with a published key", async () => {
    const { access_token } = await newGrant(clientOf("confidential"));
    const { alg, typ, kid } = headerOf(access_token);
    expect([alg, typ]).toEqual(["ES256", "at+jwt"]);
    expect((await publicKeys()).map((key) => key.kid)).toContain(kid);
  });

  test("an access token says who issued it, for what, for whom, to whom, for how long", async () => {
    const client = clientOf("confidential");
    const before = Math.floor(Date.now() / 1000);
    const { access_token, scope } = await newGrant(client);
    const claims = claimsOf(access_token);
    const { streamer } = ((await me()).body as { data: { streamer: { id: string } } }).data;
    expect(claims).toMatchObject({ iss: target().url, aud: target().url, sub: streamer.id, client_id: client.id, scope });
    expect(claims.jti).toMatch(/./);
    expect(claims.exp).toBe(Number(claims.iat) + 3600);
    expect(claims.iat).toBeGreaterThanOrEqual(before - 1);
    expect(claims.iat).toBeLessThanOrEqual(Date.now() / 1000 + 1);
  });

  test("each access token has an id of its own", async () => {
    const client = clientOf("confidential");
    const first = await newGrant(client);
    const second = tokensOf(await refresh(client, first.refresh_token));
    expect(claimsOf(first.access_token).jti).not.toBe(claimsOf(second.access_token).jti);
  });

  test("an access token holds no secret and no name of the streamer", async () => {
    const { access_token } = await newGrant(clientOf("confidential"));
    const allowed = ["iss", "aud", "sub", "client_id", "scope", "jti", "iat", "exp", "grant_id", "application_id"];
    expect(Object.keys(claimsOf(access_token)).filter((claim) => !allowed.includes(claim))).toEqual([]);
  });
});

test("a refresh token is refused as a bearer credential", async () => {
  const { refresh_token } = await newGrant(clientOf("confidential"));
  expectProblem(await me({ key: refresh_token }), 401, "invalid_token");
});

test("a code is refused as a bearer credential", async () => {
  const { code } = await newCode(clientOf("confidential"));
  expectProblem(await me({ key: code }), 401, "invalid_token");
});
