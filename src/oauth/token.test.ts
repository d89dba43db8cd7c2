import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Approval } from "./grants.ts";
import { ask, baseUrl, callback, granted, grantStates, openWorld, passTime, pkce, type TestClient, type World } from "./testing.ts";
import { issueToken } from "./token.ts";

type Body = Parameters<typeof ask<"issueToken">>[1];

let world: World;

beforeAll(async () => {
  world = await openWorld();
});

afterAll(() => world?.close());

test("a code becomes tokens: a JWT by RFC 9068, a refresh token, and all members always", async () => {
  const client = await world.client();
  const streamerId = await world.streamer();
  const { error, body } = await exchange(client, await world.approve(client, { streamerId }));
  expect(error).toBeNull();
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: "Bearer",
    expires_in: 3600,
    refresh_token: expect.stringMatching(/^namjai_r1_[0-9A-Za-z]{40}$/),
    scope: granted.join(" "),
  });
  const keys = createLocalJWKSet({ keys: [...world.signingKeys.published()] });
  const { payload, protectedHeader } = await jwtVerify(body?.access_token as string, keys, {
    issuer: baseUrl,
    audience: baseUrl,
    typ: "at+jwt",
  });
  const { id: grantId } = await world.database.knex("oauth_grants").where({ client_id: client.client_id }).first("id");
  const application = (await world.clients.find(client.client_id))?.applicationId;
  expect(protectedHeader.alg).toBe("ES256");
  expect(payload).toMatchObject({ sub: streamerId, client_id: client.client_id, application_id: application, grant_id: grantId });
  expect(payload).toMatchObject({ scope: granted.join(" "), jti: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) });
  expect((payload.exp as number) - (payload.iat as number)).toBe(3600);
});

test("two access tokens of one grant have different ids", async () => {
  const { client, tokens } = await connected();
  const next = await refresh(client, tokens.refresh_token);
  expect(decodeJwt(next.body?.access_token as string).jti).not.toBe(decodeJwt(tokens.access_token).jti);
});

// `challenge`: was one sent to the authorization endpoint. `verifier`: what comes to the token endpoint.
test.each([
  ["confidential", false, "none", null],
  ["confidential", false, "right", "invalid_grant"], // superfluous: a downgrade (RFC 9700 4.8.2)
  ["confidential", true, "right", null],
  ["confidential", true, "wrong", "invalid_grant"],
  ["confidential", true, "none", "invalid_grant"],
  ["confidential", true, "malformed", "invalid_grant"],
  ["confidential", true, "the challenge", "invalid_grant"], // `plain`
  ["public", true, "right", null],
  ["public", true, "wrong", "invalid_grant"],
  ["public", true, "none", "invalid_grant"],
  ["public", false, "none", "invalid_grant"],
  ["public", false, "right", "invalid_grant"],
])("PKCE: %s client, challenge %s, verifier %s → %s", async (kind, withChallenge, sent, expected) => {
  const client = await world.client({ public: kind === "public" });
  const { verifier, challenge } = pkce();
  const verifiers: Record<string, string> = { right: verifier, wrong: pkce().verifier, malformed: "short", "the challenge": challenge };
  const code = await world.approve(client, { codeChallenge: withChallenge ? challenge : null });
  const { error } = await exchange(client, code, { code_verifier: verifiers[sent] });
  expect(error).toBe(expected);
});

test.each([
  ["the same", callback, callback, null],
  ["another", callback, `${callback}/`, "invalid_grant"],
  ["other case", callback, callback.replace("client", "CLIENT"), "invalid_grant"],
  ["none, where the authorization request had one", callback, undefined, "invalid_grant"],
  ["no URI at all", callback, "callback", "invalid_grant"],
  ["none, as in the authorization request", null, undefined, null],
  ["the registered one, where the authorization request had none", null, callback, null],
  ["an unregistered one, where the authorization request had none", null, `${callback}/`, "invalid_grant"],
  ["the loopback port of the authorization request", "http://127.0.0.1:9/", "http://127.0.0.1:9/", null],
])("redirect_uri: %s", async (_title, redirectUri, sent, expected) => {
  const client = await world.client();
  const { error } = await exchange(client, await world.approve(client, { redirectUri }), { redirect_uri: sent });
  expect(error).toBe(expected);
});

test.each([
  ["verifier", { code_verifier: pkce().verifier }],
  ["redirect URI", { redirect_uri: `${callback}/` }],
])("a wrong %s burns the code", async (_title, wrong) => {
  const client = await world.client();
  const { verifier, challenge } = pkce();
  const code = await world.approve(client, { codeChallenge: challenge });
  expect((await exchange(client, code, { code_verifier: verifier, ...wrong })).error).toBe("invalid_grant");
  expect((await exchange(client, code, { code_verifier: verifier })).error).toBe("invalid_grant");
});

test("a code that is used again revokes the grant, and that stays, however old the code is (RFC 6749 4.1.2)", async () => {
  for (const age of ["0 seconds", "1 hour"]) {
    const { client, tokens, code } = await connected();
    await passTime(world, client.client_id, age);
    expect((await exchange(client, code)).error).toBe("invalid_grant");
    expect(await grantStates(world, client.client_id)).toEqual(["revoked"]);
    expect((await refresh(client, tokens.refresh_token)).error).toBe("invalid_grant");
  }
});

test("of parallel uses of one code exactly one wins, and the grant ends revoked", async () => {
  for (let round = 0; round < 5; round += 1) {
    const client = await world.client();
    const code = await world.approve(client);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => exchange(client, code)));
    const [winner, ...others] = outcomes.filter(({ error }) => error === null);
    expect(others).toEqual([]);
    expect(outcomes.filter(({ error }) => error === "invalid_grant")).toHaveLength(5);
    expect(await grantStates(world, client.client_id)).toEqual(["revoked"]);
    expect((await refresh(client, winner?.body?.refresh_token as string)).error).toBe("invalid_grant");
  }
});

test("another client's code is refused, and neither burnt nor revoked by that", async () => {
  const [owner, thief] = [await world.client(), await world.client()];
  const code = await world.approve(owner);
  expect((await exchange(thief, code)).error).toBe("invalid_grant");
  const { error, body } = await exchange(owner, code);
  expect(error).toBeNull();
  expect((await exchange(thief, code)).error).toBe("invalid_grant");
  expect((await refresh(owner, body?.refresh_token as string)).error).toBeNull();
});

test("a code is good for 60 seconds", async () => {
  const client = await world.client();
  const [young, old] = [await world.approve(client), await world.approve(client)];
  await passTime(world, client.client_id, "50 seconds");
  expect((await exchange(client, young)).error).toBeNull();
  await passTime(world, client.client_id, "10 seconds");
  expect((await exchange(client, old)).error).toBe("invalid_grant");
  expect(await grantStates(world, client.client_id)).toEqual(["active", "active"]);
});

test("a code whose approval was taken back is refused", async () => {
  const client = await world.client();
  const code = await world.approve(client);
  await world.grants.revoke((await world.grants.findCode(code))?.grant.id as string);
  expect((await exchange(client, code)).error).toBe("invalid_grant");
});

test("a refresh answers with new tokens and uses the old one up", async () => {
  const { client, tokens } = await connected();
  const next = await refresh(client, tokens.refresh_token);
  expect(next.body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: granted.join(" ") });
  expect(next.body?.refresh_token).not.toBe(tokens.refresh_token);
  await refresh(client, next.body?.refresh_token as string);
  expect((await refresh(client, tokens.refresh_token)).error).toBe("invalid_grant");
  expect(await grantStates(world, client.client_id)).toEqual(["revoked"]);
});

test("a public client that repeats a refresh loses the grant; a confidential one gets a new successor", async () => {
  for (const isPublic of [true, false]) {
    const { client, tokens } = await connected({}, await world.client({ public: isPublic }));
    await refresh(client, tokens.refresh_token);
    const { error } = await refresh(client, tokens.refresh_token);
    expect(error).toBe(isPublic ? "invalid_grant" : null);
    expect(await grantStates(world, client.client_id)).toEqual([isPublic ? "revoked" : "active"]);
  }
});

test("after parallel refreshes by a confidential client at most one refresh token lives", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { client, tokens } = await connected();
    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(client, tokens.refresh_token)));
    expect(answers.map(({ error }) => error)).toEqual([null, null, null, null]);
    const later: (string | null)[] = [];
    for (const { body } of answers) later.push((await refresh(client, body?.refresh_token as string)).error);
    expect(later.toSorted()).toEqual(["invalid_grant", "invalid_grant", "invalid_grant", null]);
  }
});

test("a narrower scope is for this access token alone", async () => {
  const { client, tokens } = await connected();
  const narrow = await refresh(client, tokens.refresh_token, { scope: "read:donations" });
  expect(narrow.body?.scope).toBe("read:donations");
  expect(decodeJwt(narrow.body?.access_token as string).scope).toBe("read:donations");
  const wide = await refresh(client, narrow.body?.refresh_token as string);
  expect(wide.body?.scope).toBe(granted.join(" "));
});

test.each([
  "read:donations write:alerts",
  "write:alerts",
  "delete:donations",
  "  ",
  "READ:donations",
  "น้ำใจ",
  "read:donations\nwrite:donations",
])("the scope %j is wider or unknown: invalid_scope, and it burns nothing", async (scope) => {
  const { client, tokens } = await connected({}, await world.client({ public: true }));
  expect((await refresh(client, tokens.refresh_token, { scope })).error).toBe("invalid_scope");
  expect((await refresh(client, tokens.refresh_token)).error).toBeNull();
});

test("a scope named twice is granted once", async () => {
  const { client, tokens } = await connected();
  const { body } = await refresh(client, tokens.refresh_token, { scope: "read:donations  read:donations" });
  expect(body?.scope).toBe("read:donations");
});

test("another client's refresh token is refused, and neither used nor revoked by that", async () => {
  const { client, tokens } = await connected({}, await world.client({ public: true }));
  const thief = await world.client();
  expect((await refresh(thief, tokens.refresh_token)).error).toBe("invalid_grant");
  const next = await refresh(client, tokens.refresh_token);
  expect(next.error).toBeNull();
  expect((await refresh(thief, tokens.refresh_token)).error).toBe("invalid_grant");
  expect(await grantStates(world, client.client_id)).toEqual(["active"]);
});

test("a refresh token lives 90 days, an access token is no refresh token", async () => {
  const { client, tokens } = await connected();
  expect((await refresh(client, tokens.access_token)).error).toBe("invalid_grant");
  await passTime(world, client.client_id, "90 days");
  expect((await refresh(client, tokens.refresh_token)).error).toBe("invalid_grant");
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
])("resource: approved for %s, exchanged for %s, refreshed for %s → %j (RFC 8707)", async (approved, first, second, expected) => {
  const client = await world.client();
  const seen = (answer: { error: string | null; body: { access_token: string } | undefined }) =>
    answer.error ?? decodeJwt(answer.body?.access_token as string).aud;
  const exchanged = await exchange(client, await world.approve(client, { resource: approved }), { resource: first });
  const audiences = [seen(exchanged)];
  if (exchanged.body) audiences.push(seen(await refresh(client, exchanged.body.refresh_token, { resource: second })));
  expect(audiences).toEqual(expected);
});

test.each([
  `${baseUrl}/mcp/`,
  `${baseUrl}/api/v1`,
  "https://elsewhere.example",
  `${baseUrl}//`,
  `${baseUrl}#`,
  baseUrl.toUpperCase(),
  "mcp",
])("resource %s is invalid_target, and burns nothing", async (resource) => {
  const client = await world.client({ public: true });
  const { verifier, challenge } = pkce();
  const code = await world.approve(client, { codeChallenge: challenge });
  expect((await exchange(client, code, { code_verifier: verifier, resource })).error).toBe("invalid_target");
  const { error, body } = await exchange(client, code, { code_verifier: verifier });
  expect(error).toBeNull();
  expect((await refresh(client, body?.refresh_token as string, { resource })).error).toBe("invalid_target");
  expect((await refresh(client, body?.refresh_token as string)).error).toBeNull();
});

test("the client is authenticated before anything else is looked at", async () => {
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
  ["Refresh_token", {}, "unsupported_grant_type"],
  ["authorization_code", {}, "invalid_request"],
  ["refresh_token", {}, "invalid_request"],
  ["authorization_code", { refresh_token: "namjai_r1_x" }, "invalid_request"],
  ["authorization_code", { code: "unknown" }, "invalid_grant"],
  ["refresh_token", { refresh_token: "namjai_r1_unknown" }, "invalid_grant"],
])("grant_type %s with %j is %s", async (grant_type, parameters, expected) => {
  const client = await world.client();
  expect((await ask(issueToken(world.parts), { grant_type, ...parameters, ...client })).error).toBe(expected);
});

test("a failure of ours is no OAuth error: its cause comes through", async () => {
  const client = await world.client();
  const code = await world.approve(client);
  const lost = Object.assign(new Error("connection lost"), { code: "ECONNRESET" });
  const grants = { ...world.grants, activate: () => Promise.reject(lost) };
  const body = { grant_type: "authorization_code", code, redirect_uri: callback, ...client };
  await expect(ask(issueToken({ ...world.parts, grants }), body)).rejects.toBe(lost);
});

async function exchange(client: TestClient, code: string, parameters: Partial<Body> = {}) {
  return ask(issueToken(world.parts), { grant_type: "authorization_code", redirect_uri: callback, ...client, code, ...parameters });
}

async function refresh(client: TestClient, token: string, parameters: Partial<Body> = {}) {
  return ask(issueToken(world.parts), { grant_type: "refresh_token", refresh_token: token, ...client, ...parameters });
}

/** A client with the tokens of a fresh grant. */
async function connected(approval: Partial<Approval> = {}, owner?: TestClient) {
  const client = owner ?? (await world.client());
  const { verifier, challenge } = pkce();
  const code = await world.approve(client, { codeChallenge: challenge, ...approval });
  const { body } = await exchange(client, code, { code_verifier: verifier });
  if (!body) throw new Error("no tokens");
  return { client, code, tokens: body };
}
