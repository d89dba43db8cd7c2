import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, callback, grantStates, type OAuthFixture, openOAuthFixture } from "../testing.ts";
import { issueToken } from "../tokens/token.ts";
import { isSecretOf } from "./clients.ts";

let fixture: OAuthFixture;

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

async function verify(clientId: string, secret: string): Promise<boolean> {
  const found = await fixture.clients.findWithSecrets(clientId);
  return found !== null && isSecretOf(found, secret);
}

test("a client is found as it was registered, with an application of its own", async () => {
  const settings = { name: "Bot น้ำใจ", redirectUris: [callback, callback, `${callback}/2`], scopes: ["read:donations" as const] };
  const { client_id, client_secret } = await fixture.client(settings);
  const found = await fixture.clients.find(client_id);
  const applicationId = expect.stringMatching(/^[0-9a-f-]{36}$/);
  const entry = {
    id: client_id,
    applicationId,
    name: "Bot น้ำใจ",
    public: false,
    redirectUris: [callback, `${callback}/2`],
    scopes: ["read:donations"],
    registeredBy: null,
    selfRegistered: false,
  };
  expect(found).toEqual(entry);
  expect(client_id).toMatch(/^[0-9A-Za-z]{16}$/);
  expect(client_secret).toMatch(/^[0-9A-Za-z]{32}$/);
  expect(await fixture.database.knex("applications").where({ id: found?.applicationId }).first()).toMatchObject({ streamer_id: null });
  expect((await fixture.clients.list()).at(-1)).toEqual({
    ...entry,
    createdAt: expect.any(Date),
    expiresAt: null,
    removedAt: null,
    secrets: 1,
  });
  expect(await fixture.clients.find("unknown")).toBeNull();
});

test("a client secret is stored as a hash and works for its own client only", async () => {
  const [one, other] = [await fixture.client(), await fixture.client()];
  const [secret, foreign] = [one.client_secret as string, other.client_secret as string];
  expect(await verify(one.client_id, secret)).toBe(true);
  for (const wrong of [foreign, "", `${secret}x`, secret.toLowerCase()]) expect(await verify(one.client_id, wrong)).toBe(false);
  const stored: Buffer[] = await fixture.database.knex("oauth_client_secrets").pluck("hash");
  expect(stored.map((hash) => hash.toString("latin1"))).not.toContain(secret);
  expect(stored.every((hash) => hash.length === 32)).toBe(true);
});

test("a public client has no secret, and rotating its secret is refused", async () => {
  const { client_id, client_secret } = await fixture.client({ public: true, redirectUris: ["com.example.app:/callback"] });
  expect(client_secret).toBeUndefined();
  await expect(fixture.clients.rotate(client_id)).rejects.toThrow(/public client has no secret/);
});

test("rotating a client's secret keeps the two newest secrets", async () => {
  const { client_id, client_secret } = await fixture.client();
  const good = (secret: string) => verify(client_id, secret);
  const second = await fixture.clients.rotate(client_id);
  expect([await good(client_secret as string), await good(second)]).toEqual([true, true]);
  const third = await fixture.clients.rotate(client_id);
  expect([await good(client_secret as string), await good(second), await good(third)]).toEqual([false, true, true]);
  await expect(fixture.clients.rotate("unknown")).rejects.toThrow(/no client/);
});

test("rotations of a client's secret at the same time keep the two newest secrets", async () => {
  const { client_id } = await fixture.client();
  for (let round = 0; round < 4; round += 1) {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => fixture.clients.rotate(client_id)));
    const good = await Promise.all(secrets.map((secret) => verify(client_id, secret)));
    expect(good.filter(Boolean)).toHaveLength(2);
  }
});

test("a removed client is not found any more, and all its grants are revoked", async () => {
  const [client, other] = [await fixture.client(), await fixture.client()];
  for (const owner of [client, client, other]) await exchangedBy(owner);
  expect(await fixture.clients.remove(client.client_id, fixture.denials)).toBe(true);
  expect(await fixture.clients.find(client.client_id)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked", "revoked"]);
  expect(await grantStates(fixture, other.client_id)).toEqual(["active"]);
  expect(await fixture.clients.remove(client.client_id, fixture.denials)).toBe(false);
  expect((await fixture.clients.list()).find(({ id }) => id === client.client_id)?.removedAt).toEqual(expect.any(Date));
  await expect(fixture.clients.rotate(client.client_id)).rejects.toThrow(/no client/);
});

test.each([
  [callback, "confidential"],
  ["https://client.example", "confidential"],
  ["https://client.example:8443/a/b?c=d", "public"],
  ["http://127.0.0.1/callback", "public"],
  ["http://127.0.0.1:8081/callback", "confidential"],
  ["http://[::1]:8081/callback", "public"],
  ["http://localhost:3000", "confidential"],
  ["com.example.app:/callback", "public"],
  ["https://client.example/@handle", "public"],
] as const)("redirect URI %s may be registered by a %s client", async (uri, kind) => {
  const { client_id } = await fixture.client({ redirectUris: [uri], public: kind === "public" });
  expect((await fixture.clients.find(client_id))?.redirectUris).toEqual([uri]);
});

test.each([
  ["/callback", /absolute/],
  ["client.example/callback", /absolute/],
  ["https:client.example/callback", /absolute/],
  ["https:///client.example", /absolute/],
  ["HTTPS:client.example", /absolute/],
  ["https://client.example/a b", /absolute/],
  ["https://client.example\\@evil.example/", /absolute/],
  ["https://client.example/น้ำใจ", /absolute/],
  ["", /absolute/],
  ["https://client.example/#", /fragment/],
  ["https://client.example/callback#part", /fragment/],
  ["https://user@client.example/", /user name/],
  ["https://user:word@client.example/", /user name/],
  ["https://@client.example/", /user name/],
  ["http://client.example/callback", /https/],
  ["http://127.0.0.1.evil.example/", /https/],
  ["http://localhost.evil.example/", /https/],
  ["http://127.0.0.2/", /https/],
  ["myapp:/callback", /dot/],
  ["javascript:alert(1)", /dot/],
  ["data:text/html,x", /dot/],
  ["com.example.app:/callback", /public clients only/],
])("redirect URI %j is refused by rule", async (uri, rule) => {
  await expect(fixture.client({ redirectUris: [callback, uri] })).rejects.toThrow(rule);
});

test("a redirect URI has at most 2,000 characters", async () => {
  const uri = "https://client.example/".padEnd(2_000, "a");
  await fixture.client({ redirectUris: [uri] });
  await expect(fixture.client({ redirectUris: [`${uri}a`] })).rejects.toThrow(/2000 characters/);
});

test("a client needs a name, a redirect URI and a scope", async () => {
  await expect(fixture.client({ name: " " })).rejects.toThrow(/name/);
  await expect(fixture.client({ redirectUris: [] })).rejects.toThrow(/redirect URI/);
  await expect(fixture.client({ scopes: [] })).rejects.toThrow(/scope/);
});

async function exchangedBy(client: Awaited<ReturnType<OAuthFixture["client"]>>): Promise<void> {
  const body = { grant_type: "authorization_code", code: await fixture.approve(client), redirect_uri: callback, ...client };
  expect((await ask(issueToken(fixture.deps), body)).error).toBeNull();
}
