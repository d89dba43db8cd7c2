import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, baseUrl, callback, grantStates, type OAuthFixture, openOAuthFixture, type TestClient } from "../testing.ts";
import { revocationSlots, revokeToken } from "./revoke.ts";
import { issueToken } from "./token.ts";

let fixture: OAuthFixture;

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

test("revoking a refresh token of any generation revokes its grant", async () => {
  for (const generation of [0, 1]) {
    const client = await fixture.client();
    const first = await connect(client);
    const second = await ask(issueToken(fixture.deps), { grant_type: "refresh_token", refresh_token: first.refresh_token, ...client });
    const token = [first.refresh_token, second.body?.refresh_token as string][generation] as string;
    expect(await revoke(client, token)).toEqual({ error: null, body: {} });
    expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
    expect(await revoke(client, token)).toEqual({ error: null, body: {} });
  }
});

test("revoking an access token denies its id and keeps the grant", async () => {
  const client = await fixture.client();
  const { access_token } = await connect(client);
  expect(await revoke(client, access_token)).toEqual({ error: null, body: {} });
  expect(fixture.denials.has(decodeJwt(access_token).jti as string)).toBe(true);
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]);
});

test("revoking another client's token is refused, and the token keeps working (RFC 7009 2.1)", async () => {
  const [owner, thief] = [await fixture.client(), await fixture.client()];
  const { access_token, refresh_token } = await connect(owner);
  for (const token of [access_token, refresh_token]) expect((await revoke(thief, token)).error).toBe("invalid_grant");
  expect(fixture.denials.has(decodeJwt(access_token).jti as string)).toBe(false);
  expect(await grantStates(fixture, owner.client_id)).toEqual(["active"]);
});

test("revoking another client's access token is refused even after it has expired", async () => {
  const [owner, thief] = [await fixture.client(), await fixture.client()];
  const expired = await expiredToken(owner);
  expect((await revoke(thief, expired)).error).toBe("invalid_grant");
  expect((await revoke(owner, expired)).error).toBeNull();
});

test("revoking an access token that has expired writes nothing: it is invalid already (RFC 7009 2.2)", async () => {
  const client = await fixture.client();
  const expired = await expiredToken(client);
  const version = () => fixture.database.knex("credential_changes").first("version");
  const before = await version();
  expect(await revoke(client, expired)).toEqual({ error: null, body: {} });
  expect(fixture.denials.has(decodeJwt(expired).jti as string)).toBe(false);
  expect(await version()).toEqual(before);
});

test("revocations are recorded one at a time, and one beyond those of a client that may wait is refused with unavailable", async () => {
  const client = await fixture.client();
  const { access_token } = await connect(client);
  const ends: (() => void)[] = [];
  const denyToken = () => new Promise<void>((resolve) => ends.push(resolve));
  const handler = revokeToken({ ...fixture.deps, denials: { ...fixture.denials, has: () => false, denyToken } });
  const recorded = 1 + (revocationSlots.maxWaitingOfKey as number);
  const revoked = Array.from({ length: recorded + 1 }, () => ask(handler, { token: access_token, ...client }));
  await expect(Promise.race(revoked)).rejects.toMatchObject({ code: "unavailable" });
  expect(ends).toHaveLength(1);
  for (let count = 1; count <= recorded; count += 1) {
    await expect.poll(() => ends.length, { interval: 1 }).toBe(count);
    ends.at(-1)?.();
  }
  const outcomes = await Promise.allSettled(revoked);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(recorded);
});

test("revoking an unknown token is answered like a revocation (RFC 7009 2.2)", async () => {
  const client = await fixture.client();
  const { access_token } = await connect(client);
  const [header, payload, signature] = access_token.split(".");
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const stranger = new SignJWT(decodeJwt(access_token));
  const foreign = await stranger
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: fixture.signingKeys.current().kid })
    .sign(privateKey);
  const unknown = [
    "x",
    "namjai_r1_unknown",
    "a.b.c",
    "..",
    `${header}.${payload}.`,
    `${header}.${payload}.x${signature}`,
    foreign,
    JSON.stringify(await exportJWK(privateKey)),
  ];
  for (const token of unknown) expect(await revoke(client, token)).toEqual({ error: null, body: {} });
  expect(fixture.denials.has(decodeJwt(access_token).jti as string)).toBe(false);
});

test("a revocation request is refused with invalid_client before its token is looked up", async () => {
  const client = await fixture.client();
  const { refresh_token } = await connect(client);
  for (const wrong of [{ client_id: client.client_id }, { ...client, client_secret: "wrong" }, { client_id: "unknown" }])
    expect((await revoke(wrong, refresh_token)).error).toBe("invalid_client");
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]);
});

test("the issuer of access tokens is the base URL", async () => {
  expect(decodeJwt((await connect(await fixture.client())).access_token).iss).toBe(baseUrl);
});

function revoke(client: TestClient, token: string) {
  return ask(revokeToken(fixture.deps), { token, ...client });
}

async function connect(client: TestClient) {
  const body = { grant_type: "authorization_code", code: await fixture.approve(client), redirect_uri: callback, ...client };
  const answer = await ask(issueToken(fixture.deps), body);
  if (!answer.body) throw new Error("no tokens");
  return answer.body;
}

async function expiredToken(client: TestClient): Promise<string> {
  const { kid, privateKey } = fixture.signingKeys.current();
  const claims = decodeJwt((await connect(client)).access_token);
  return new SignJWT({ ...claims, iat: 1, exp: 2 }).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid }).sign(privateKey);
}
