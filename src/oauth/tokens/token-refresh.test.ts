import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { granted, grantStates, type OAuthFixture, openOAuthFixture, passTime, tokenRequests } from "../testing.ts";

let fixture: OAuthFixture;
const { connected, refresh } = tokenRequests(() => fixture);

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

test("a refresh answers with new tokens, and the old refresh token stops working", async () => {
  const { client, tokens } = await connected();
  const next = await refresh(client, tokens.refresh_token);
  expect(next.body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: granted.join(" ") });
  expect(next.body?.refresh_token).not.toBe(tokens.refresh_token);
  await refresh(client, next.body?.refresh_token as string);
  expect((await refresh(client, tokens.refresh_token)).error).toBe("invalid_grant");
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
});

test("a public client that repeats a refresh loses the grant, and a confidential client gets a new successor", async () => {
  for (const isPublic of [true, false]) {
    const { client, tokens } = await connected({}, await fixture.client({ public: isPublic }));
    await refresh(client, tokens.refresh_token);
    const { error } = await refresh(client, tokens.refresh_token);
    expect(error).toBe(isPublic ? "invalid_grant" : null);
    expect(await grantStates(fixture, client.client_id)).toEqual([isPublic ? "revoked" : "active"]);
  }
});

test("after parallel refreshes by a confidential client only one of the new refresh tokens works", async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { client, tokens } = await connected();
    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(client, tokens.refresh_token)));
    expect(answers.map(({ error }) => error)).toEqual([null, null, null, null]);
    const later: (string | null)[] = [];
    for (const { body } of answers) later.push((await refresh(client, body?.refresh_token as string)).error);
    expect(later.toSorted()).toEqual(["invalid_grant", "invalid_grant", "invalid_grant", null]);
  }
});

test("a narrower scope in a refresh applies to that access token only", async () => {
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
])("a refresh for the scope %j, which is wider or unknown, is invalid_scope and keeps the refresh token working", async (scope) => {
  const { client, tokens } = await connected({}, await fixture.client({ public: true }));
  expect((await refresh(client, tokens.refresh_token, { scope })).error).toBe("invalid_scope");
  expect((await refresh(client, tokens.refresh_token)).error).toBeNull();
});

test("a scope that a refresh requests twice is granted once", async () => {
  const { client, tokens } = await connected();
  const { body } = await refresh(client, tokens.refresh_token, { scope: "read:donations  read:donations" });
  expect(body?.scope).toBe("read:donations");
});

test("another client's refresh token is refused, and its own client can still use it", async () => {
  const { client, tokens } = await connected({}, await fixture.client({ public: true }));
  const thief = await fixture.client();
  expect((await refresh(thief, tokens.refresh_token)).error).toBe("invalid_grant");
  const next = await refresh(client, tokens.refresh_token);
  expect(next.error).toBeNull();
  expect((await refresh(thief, tokens.refresh_token)).error).toBe("invalid_grant");
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]);
});

test("a refresh token expires after 90 days, and an access token is not accepted as a refresh token", async () => {
  const { client, tokens } = await connected();
  expect((await refresh(client, tokens.access_token)).error).toBe("invalid_grant");
  await passTime(fixture, client.client_id, "90 days");
  expect((await refresh(client, tokens.refresh_token)).error).toBe("invalid_grant");
});
