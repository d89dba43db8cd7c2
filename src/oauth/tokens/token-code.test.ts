import { afterAll, beforeAll, expect, test } from "vitest";
import { callback, grantStates, type OAuthFixture, openOAuthFixture, passTime, pkce, tokenRequests } from "../testing.ts";

let fixture: OAuthFixture;
const { connected, exchange, refresh } = tokenRequests(() => fixture);

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

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
])(
  "exchanging the code of a %s client with challenge: %s and verifier: %s has the error %s (RFC 7636 4.6)",
  async (kind, withChallenge, sent, expected) => {
    const client = await fixture.client({ public: kind === "public" });
    const { verifier, challenge } = pkce();
    const verifiers: Record<string, string> = { right: verifier, wrong: pkce().verifier, malformed: "short", "the challenge": challenge };
    const code = await fixture.approve(client, { codeChallenge: withChallenge ? challenge : null });
    const { error } = await exchange(client, code, { code_verifier: verifiers[sent] });
    expect(error).toBe(expected);
  },
);

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
])(
  "a code is exchanged only with the redirect_uri of its authorization request (RFC 6749 4.1.3): %s",
  async (_title, redirectUri, sent, expected) => {
    const client = await fixture.client();
    const { error } = await exchange(client, await fixture.approve(client, { redirectUri }), { redirect_uri: sent });
    expect(error).toBe(expected);
  },
);

test.each([
  ["a wrong verifier", { code_verifier: pkce().verifier }],
  ["a wrong redirect URI", { redirect_uri: `${callback}/` }],
  ["a verifier of a wrong form", { code_verifier: "short" }],
  ["no verifier", { code_verifier: undefined }],
])("a code that was sent with %s is not used up: its own client can still exchange it", async (_title, wrong) => {
  const client = await fixture.client();
  const { verifier, challenge } = pkce();
  const code = await fixture.approve(client, { codeChallenge: challenge });
  expect((await exchange(client, code, { code_verifier: verifier, ...wrong })).error).toBe("invalid_grant");
  expect((await exchange(client, code, { code_verifier: verifier })).error).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]);
});

test("using a code again revokes its grant for good, even after the code has expired (RFC 6749 4.1.2)", async () => {
  for (const age of ["0 seconds", "1 hour"]) {
    const { client, tokens, code } = await connected();
    await passTime(fixture, client.client_id, age);
    expect((await exchange(client, code)).error).toBe("invalid_grant");
    expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
    expect((await refresh(client, tokens.refresh_token)).error).toBe("invalid_grant");
  }
});

test("exactly one of several parallel uses of one code succeeds, and the grant is revoked in the end", async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const client = await fixture.client();
    const code = await fixture.approve(client);
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => exchange(client, code)));
    const [winner, ...others] = outcomes.filter(({ error }) => error === null);
    expect(others).toEqual([]);
    expect(outcomes.filter(({ error }) => error === "invalid_grant")).toHaveLength(5);
    expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
    expect((await refresh(client, winner?.body?.refresh_token as string)).error).toBe("invalid_grant");
  }
});

test("another client's code is refused, and its own client can still use it", async () => {
  const [owner, thief] = [await fixture.client(), await fixture.client()];
  const code = await fixture.approve(owner);
  expect((await exchange(thief, code)).error).toBe("invalid_grant");
  const { error, body } = await exchange(owner, code);
  expect(error).toBeNull();
  expect((await exchange(thief, code)).error).toBe("invalid_grant");
  expect((await refresh(owner, body?.refresh_token as string)).error).toBeNull();
});

test("a code expires after 60 seconds", async () => {
  const client = await fixture.client();
  const [young, old] = [await fixture.approve(client), await fixture.approve(client)];
  await passTime(fixture, client.client_id, "50 seconds");
  expect((await exchange(client, young)).error).toBeNull();
  await passTime(fixture, client.client_id, "10 seconds");
  expect((await exchange(client, old)).error).toBe("invalid_grant");
  expect(await grantStates(fixture, client.client_id)).toEqual(["active", "active"]);
});

test("a code whose grant was revoked is refused", async () => {
  const client = await fixture.client();
  const code = await fixture.approve(client);
  await fixture.grants.revoke((await fixture.codes.find(code))?.grant.id as string);
  expect((await exchange(client, code)).error).toBe("invalid_grant");
});
