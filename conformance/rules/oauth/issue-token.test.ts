import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { create, expectProblem, me } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import {
  clientKinds,
  clientOf,
  encodings,
  exchange,
  expectAccess,
  expectError,
  issuer,
  needsClients,
  newCode,
  newGrant,
  postAs,
  refresh,
  scopesIn,
  type Tokens,
  tokensOf,
  ways,
} from "../../suite/client/oauth/oauth-client.ts";
import { scopes } from "../../suite/contract/contract.ts";
import { claimsOf, headerOf, publicKeys } from "../../suite/servers/credentials.ts";
import { donation } from "../../suite/values/donations.ts";
import { target } from "../../suite/values/target.ts";

const answered = { access_token: expect.stringMatching(/^eyJ/), token_type: "Bearer", expires_in: 3600, refresh_token: expect.any(String) };

beforeEach(needsClients);

describe.each(ways)("as $as, client in $by", (how) => {
  test("a code is exchanged for tokens; token_type, expires_in and scope are always answered", async () => {
    const client = clientOf("confidential");
    const tokens = tokensOf(await exchange(client, await newCode(client), how));
    expect(tokens).toEqual({ ...answered, scope: expect.any(String) });
    expect(scopesIn(tokens.scope)).toEqual([...scopes].sort());
    await expectAccess(tokens);
  });

  test("no cache keeps an answer with tokens: Cache-Control: no-store and Pragma: no-cache (RFC 6749 5.1)", async () => {
    const client = clientOf("confidential");
    const first = await exchange(client, await newCode(client), how);
    const second = await refresh(client, tokensOf(first).refresh_token, {}, how);
    for (const { headers } of [first, second]) expect([headers["cache-control"], headers.pragma]).toEqual(["no-store", "no-cache"]);
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
])("grant_type %j is refused with unsupported_grant_type, of a public client as of a confidential one", async (grant_type) => {
  for (const holder of clientKinds)
    for (const how of ways)
      expectError(await postAs(clientOf(holder), "/oauth/token", { grant_type, code: "x" }, how), "unsupported_grant_type");
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
    expect(claims).toMatchObject({ iss: await issuer(), aud: await issuer(), sub: streamer.id, client_id: client.id, scope });
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

/** Expects these scopes in the answer, in the token and in getMe. */
async function expectScopes({ scope, access_token }: Tokens, expected: readonly string[]): Promise<void> {
  const { data } = (await me({ key: access_token })).body as { data: { scopes: string[] } };
  for (const found of [scopesIn(scope), scopesIn(claimsOf(access_token).scope), [...data.scopes].sort()])
    expect(found).toEqual([...expected].sort());
}

test("a grant has the scopes that the streamer approved, any of the client's", () =>
  holds(
    fc.shuffledSubarray(scopes, { minLength: 1 }),
    async (asked) => expectScopes(await newGrant(clientOf("confidential"), { scopes: asked.join(" ") }), asked),
    { runs: 10, concurrency: 4 },
  ));

test("a grant requested without a scope has the client's registered ones", async () => {
  await expectScopes(await newGrant(clientOf("confidential")), scopes);
  await expectScopes(await newGrant(clientOf("readOnly")), ["read:donations"]);
});

test("a request for more scopes than the client has is approved for those it has, and the answer says which (RFC 6749 3.3)", async () => {
  for (const asked of ["read:donations write:donations", "offline_access read:donations"])
    await expectScopes(await newGrant(clientOf("readOnly"), { scopes: asked }), ["read:donations"]);
});

test("an exchange of a code with more scopes than were approved grants no more, or is refused with invalid_scope", async () => {
  const client = clientOf("confidential");
  for (const how of ways) {
    const code = await newCode(client, { scopes: "read:donations" });
    const reply = await exchange(client, { ...code, scope: "read:donations write:donations" }, how);
    if (reply.status === 200) await expectScopes(tokensOf(reply), ["read:donations"]);
    else expectError(reply, "invalid_scope");
  }
});

describe("a refresh", () => {
  test.each(clientKinds)("a refresh may ask for fewer scopes, and the next refresh has all of the grant's again: %s client", (holder) =>
    holds(
      fc.record({
        granted: fc.subarray(scopes, { minLength: 1 }),
        pick: fc.array(fc.nat(3), { minLength: 1 }),
        how: fc.constantFrom(...ways),
      }),
      async ({ granted, pick, how }) => {
        const client = clientOf(holder);
        const asked = [...new Set(pick.map((index) => granted[index % granted.length] ?? ""))];
        const first = await newGrant(client, { scopes: granted.join(" ") });
        const narrow = tokensOf(await refresh(client, first.refresh_token, { scope: asked.join(" ") }, how));
        await expectScopes(narrow, asked);
        await expectScopes(tokensOf(await refresh(client, narrow.refresh_token, {}, how)), granted);
      },
      { runs: 10, concurrency: 4 },
    ),
  );

  test("a refreshed token with fewer scopes cannot use the others", async () => {
    const client = clientOf("confidential");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations write:donations" });
    const { access_token } = tokensOf(await refresh(client, refresh_token, { scope: "read:donations" }));
    expectProblem(await create(donation(), { key: access_token }), 403, "insufficient_scope");
  });

  test.each([
    "write:donations",
    "read:donations write:donations",
    "admin",
    "read:donations admin",
    "READ:DONATIONS",
    "read:donations,write:donations",
    "read:donations\twrite:donations",
    "*",
  ])("a refresh for more scopes than the grant has is refused with invalid_scope, and uses up nothing: %j", async (scope) => {
    const client = clientOf("confidential");
    const { refresh_token, access_token } = await newGrant(client, { scopes: "read:donations" });
    for (const how of ways) expectError(await refresh(client, refresh_token, { scope }, how), "invalid_scope");
    await expectScopes(tokensOf(await refresh(client, refresh_token)), ["read:donations"]);
    await expectAccess({ access_token });
  });

  test.each(encodings)("a refresh for more scopes uses up nothing of a public client either: %s", async (as) => {
    const client = clientOf("public");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations" });
    expectError(await refresh(client, refresh_token, { scope: "write:donations" }, { as }), "invalid_scope");
    tokensOf(await refresh(client, refresh_token, {}, { as }));
  });

  test("a refresh for the same scopes twice or in another order is one for the same scopes", async () => {
    const client = clientOf("confidential");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations write:donations" });
    const { scope } = tokensOf(await refresh(client, refresh_token, { scope: "write:donations read:donations write:donations" }));
    expect(scopesIn(scope)).toEqual(["read:donations", "write:donations"]);
  });

  test.each(["\t", "\n", ",", "+"])("a refresh for granted scopes with %j between them is refused with invalid_scope", async (between) => {
    const client = clientOf("confidential");
    const { refresh_token } = await newGrant(client, { scopes: "read:donations write:donations" });
    expectError(await refresh(client, refresh_token, { scope: `read:donations${between}write:donations` }), "invalid_scope");
  });
});

const base = (): string => target().url;
const mcp = (): string => `${target().url}/mcp`;

async function expectAudience({ access_token }: Tokens, audience: string): Promise<void> {
  expect(claimsOf(access_token).aud).toBe(audience);
  const reply = await me({ key: access_token });
  if (audience === base()) expect(reply.status, reply.text).toBe(200);
  else expectProblem(reply, 401, "invalid_token");
}

describe.each(ways)("resource (RFC 8707), as $as, client in $by", (how) => {
  const client = () => clientOf("confidential");

  test("a request without a resource, or with the base URL, gets tokens for the base URL that are good on /api/v1", async () => {
    await expectAudience(await newGrant(client(), {}, how), base());
    await expectAudience(await newGrant(client(), { resource: base() }, how), base());
    await expectAudience(tokensOf(await exchange(client(), { ...(await newCode(client())), resource: base() }, how)), base());
  });

  test("a request with the resource /mcp gets tokens that are refused on /api/v1, after a refresh too", async () => {
    const tokens = await newGrant(client(), { resource: mcp() }, how);
    await expectAudience(tokens, mcp());
    await expectAudience(tokensOf(await refresh(client(), tokens.refresh_token, {}, how)), mcp());
    await expectAudience(tokensOf(await exchange(client(), { ...(await newCode(client())), resource: mcp() }, how)), mcp());
  });

  test("a grant for /mcp gives no token for the base URL: invalid_target", async () => {
    const code = await newCode(client(), { resource: mcp() });
    expectError(await exchange(client(), { ...code, resource: base() }, how), "invalid_target");
    const { refresh_token } = await newGrant(client(), { resource: mcp() }, how);
    expectError(await refresh(client(), refresh_token, { resource: base() }, how), "invalid_target");
  });
});

test.each<[string, () => string]>([
  ["another site", () => "https://evil.example"],
  ["another path", () => `${base()}/api/v1`],
  ["more path", () => `${mcp()}/x`],
  ["another case", () => `${base()}/MCP`],
  ["another scheme", () => mcp().replace(/^http/, "ftp")],
  ["a query", () => `${mcp()}?x`],
  ["a fragment", () => `${mcp()}#x`],
  ["user information", () => mcp().replace("://", "://x@")],
  ["a host that only begins like ours", () => `${base()}.evil.example/mcp`],
  ["a relative address", () => "/mcp"],
  ["a word", () => "mcp"],
])("a resource that is %s is refused with invalid_target", async (_, resource) => {
  const client = clientOf("confidential");
  expectError(await exchange(client, { ...(await newCode(client)), resource: resource() }), "invalid_target");
  const { refresh_token } = await newGrant(client);
  for (const how of ways) expectError(await refresh(client, refresh_token, { resource: resource() }, how), "invalid_target");
});
