import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadDenials } from "../../auth/revocations.ts";
import { grantStates, type OAuthFixture, openOAuthFixture, passTime, type TestClient } from "../testing.ts";
import type { StoredCode } from "./authorization-code.ts";

const confidential = { public: false };
const isPublic = { public: true };

let fixture: OAuthFixture;

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

test("a code can be used once, even by many requests at the same time", async () => {
  const code = await fixture.approve(await fixture.client());
  const used = await Promise.all(Array.from({ length: 8 }, () => use(code)));
  expect(used.filter(({ token }) => token !== null)).toHaveLength(1);
});

test("a code is valid for 60 seconds by the database's clock, unless it is used or its grant revoked", async () => {
  const client = await fixture.client();
  const [young, used, revoked] = [await fixture.approve(client), await fixture.approve(client), await fixture.approve(client)];
  const state = async (code: string) => (await fixture.codes.find(code))?.state;
  await use(used);
  await fixture.grants.revoke((await fixture.codes.find(revoked))?.grant.id as string);
  expect([await state(young), await state(used), await state(revoked), await state("unknown")]).toEqual([
    "valid",
    "used",
    "invalid",
    undefined,
  ]);
  await passTime(fixture, client.client_id, "50 seconds");
  expect(await state(young)).toBe("valid");
  await passTime(fixture, client.client_id, "10 seconds");
  expect([await state(young), await state(used)]).toEqual(["invalid", "used"]);
});

test("a refresh token expires 90 days after its creation", async () => {
  const { token, client } = await family();
  await passTime(fixture, client.client_id, "89 days");
  const next = (await fixture.rotate(token, confidential)) as string;
  await passTime(fixture, client.client_id, "90 days");
  expect(await fixture.rotate(next, confidential)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]); // too late is no reuse
});

test("no refresh token works a year after the approval, however often it was refreshed", async () => {
  const { token, client } = await family();
  let live: string | null = token;
  for (let round = 0; round < 6; round += 1) {
    await passTime(fixture, client.client_id, "60 days");
    live = await fixture.rotate(live as string, confidential);
  }
  expect(live).toEqual(expect.any(String));
  await passTime(fixture, client.client_id, "6 days");
  expect(await fixture.rotate(live as string, confidential)).toBeNull();
});

test("a confidential client may repeat its last refresh token within 30 seconds, and the unused successor stops working", async () => {
  const { token, client } = await family();
  const first = (await fixture.rotate(token, confidential)) as string;
  await passTime(fixture, client.client_id, "25 seconds");
  const second = (await fixture.rotate(token, confidential)) as string;
  expect(second).not.toBe(first);
  expect(await fixture.rotate(first, confidential)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]);
  expect(await fixture.rotate(second, confidential)).toEqual(expect.any(String));
});

test("repeating a refresh token does not extend the 30 seconds", async () => {
  const { token, client } = await family();
  await fixture.rotate(token, confidential);
  await passTime(fixture, client.client_id, "20 seconds");
  expect(await fixture.rotate(token, confidential)).toEqual(expect.any(String));
  await passTime(fixture, client.client_id, "11 seconds");
  expect(await fixture.rotate(token, confidential)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
});

test("repeating a refresh token after 30 seconds revokes the grant for good", async () => {
  const { token, client } = await family();
  const next = (await fixture.rotate(token, confidential)) as string;
  await passTime(fixture, client.client_id, "31 seconds");
  expect(await fixture.rotate(token, confidential)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
  expect(await fixture.rotate(next, confidential)).toBeNull();
});

test("repeating a refresh token whose successor was used revokes the grant", async () => {
  const { token, client } = await family();
  const next = (await fixture.rotate(token, confidential)) as string;
  const live = (await fixture.rotate(next, confidential)) as string;
  expect(await fixture.rotate(token, confidential)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
  expect(await fixture.rotate(live, confidential)).toBeNull();
});

test("repeating a refresh token of a public client revokes the grant", async () => {
  const { token, client } = await family(await fixture.client({ public: true }));
  const next = (await fixture.rotate(token, isPublic)) as string;
  expect(await fixture.rotate(token, isPublic)).toBeNull();
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
  expect(await fixture.rotate(next, isPublic)).toBeNull();
});

test("when a confidential client sends one refresh token many times at once, every request is answered and one successor works", async () => {
  const { token, client } = await family();
  const answers = await Promise.all(Array.from({ length: 8 }, () => fixture.rotate(token, confidential)));
  expect(new Set(answers.filter(Boolean)).size).toBe(8);
  const last: (string | null)[] = [];
  for (const answer of answers) last.push(await fixture.rotate(answer as string, confidential));
  expect(last.filter(Boolean)).toHaveLength(1);
  expect(await grantStates(fixture, client.client_id)).toEqual(["active"]);
});

test("when a public client sends one refresh token many times at once, the grant is revoked", async () => {
  const { token, client } = await family(await fixture.client({ public: true }));
  const answers = await Promise.all(Array.from({ length: 8 }, () => fixture.rotate(token, isPublic)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await grantStates(fixture, client.client_id)).toEqual(["revoked"]);
});

test("every order of uses of a grant's refresh tokens has the result of the rotation rules", async () => {
  const uses = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(uses, fc.boolean(), async (picks, ofPublic) => {
      const { token, client } = await family(await fixture.client({ public: ofPublic }));
      const model = new Map<string, "live" | "last" | "older" | "unused">([[token, "live"]]);
      let revoked = false;
      for (const pick of picks) {
        const presented = [...model.keys()].at(-1 - (pick % model.size)) as string;
        const was = model.get(presented);
        const next = await fixture.rotate(presented, { public: ofPublic });
        const fine = !revoked && (was === "live" || (was === "last" && !ofPublic));
        expect(next !== null, `${was} token`).toBe(fine);
        if (!fine) {
          revoked ||= was === "last" || was === "older";
          continue;
        }
        for (const [one, state] of model) if (state === "last") model.set(one, "older");
        for (const [one, state] of model) if (state === "live") model.set(one, "unused");
        model.set(presented, "last");
        model.set(next as string, "live");
      }
      expect(await grantStates(fixture, client.client_id)).toEqual([revoked ? "revoked" : "active"]);
    }),
    { numRuns: 40 },
  );
});

test("a revoked grant is denied in this process before the answer, and in others after they reload", async () => {
  const { grantId, token } = await family();
  const elsewhere = await loadDenials(fixture.database.knex);
  const version = async () => Number((await fixture.database.knex("credential_changes").first("version")).version);
  const before = await version();
  await fixture.grants.revoke(grantId);
  expect(fixture.denials.has(grantId)).toBe(true);
  expect(await version()).toBe(before + 1);
  await elsewhere.reload();
  expect(elsewhere.has(grantId)).toBe(true);
  await fixture.grants.revoke(grantId);
  expect(await version()).toBe(before + 1); // unchanged, so no process reloads
  expect(await fixture.refreshTokens.find(token)).toMatchObject({ isGrantActive: false, grant: { id: grantId } });
});

test("a streamer's connections are the applications that can act for the streamer", async () => {
  const streamerId = await fixture.streamer();
  const client = await fixture.client({ name: "Bot" });
  const approval = { streamerId, scopes: ["read:donations" as const] };
  const [first, second] = [await family(client, approval), await family(client, approval)];
  await fixture.approve(client, approval); // never exchanged
  await family(client); // another streamer's
  const entry = {
    clientId: client.client_id,
    name: "Bot",
    registeredBy: null,
    selfRegistered: false,
    scopes: ["read:donations"],
    createdAt: expect.any(Date),
  };
  expect(await fixture.grants.connections(streamerId)).toEqual([
    { id: second.grantId, ...entry },
    { id: first.grantId, ...entry },
  ]);
  await fixture.grants.revoke(second.grantId);
  expect((await fixture.grants.connections(streamerId)).map(({ id }) => id)).toEqual([first.grantId]);
  await passTime(fixture, client.client_id, "90 days");
  expect(await fixture.grants.connections(streamerId)).toEqual([]);
});

test("codes and refresh tokens are stored as hashes only", async () => {
  const client = await fixture.client();
  const code = await fixture.approve(client);
  const { token, grantId } = await family(client);
  const next = (await fixture.rotate(token, confidential)) as string;
  const tables = await Promise.all(
    ["oauth_codes", "oauth_refresh_tokens", "oauth_grants"].map((name) => fixture.database.knex(name).select("*")),
  );
  const text = JSON.stringify(tables, (_name, value) => (value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value));
  expect(text).toContain(grantId);
  for (const secret of [code, token, next, token.slice("namjai_r1_".length)]) expect(text).not.toContain(secret);
  expect(code).toMatch(/^[0-9A-Za-z]{32}$/);
  expect(next).toMatch(/^namjai_r1_[0-9A-Za-z]{40}$/);
});

test.each([
  ["were rotated", "now()", "now() + interval '90 days'"],
  ["were replaced before their use", "null", "'-infinity'"],
])("finding what an application may do reads none of the thousands of tokens of its grant that %s", async (_, rotatedAt, expiresAt) => {
  const { knex } = fixture.database;
  const code = await fixture.approve(await fixture.client());
  const { grant } = (await fixture.codes.find(code)) as StoredCode;
  await knex.raw(
    `insert into oauth_refresh_tokens (hash, grant_id, rotated_at, expires_at)
     select sha256(gen_random_uuid()::text::bytea), ?, ${rotatedAt}, ${expiresAt} from generate_series(1, 20000)`,
    [grant.id],
  );
  await fixture.useCode(code, { grantId: grant.id, resource: null });
  await knex.raw("analyze oauth_refresh_tokens");
  expect(await blocksReadFor(grant)).toBeLessThan(100);
  await knex("oauth_refresh_tokens").delete();
});

/** Blocks that live_scopes reads, once the session has planned it. */
async function blocksReadFor({ streamerId, clientId }: StoredCode["grant"]): Promise<number> {
  const { knex } = fixture.database;
  const query = "select live_scopes(?, (select application_id from oauth_clients where id = ?)) as scopes";
  return knex.transaction(async (trx) => {
    const { rows } = await trx.raw(query, [streamerId, clientId]);
    expect(rows[0].scopes).toHaveLength(2);
    const { rows: plans } = await trx.raw(`explain (analyze, buffers, format json) ${query}`, [streamerId, clientId]);
    const [{ Plan: plan }] = plans[0]["QUERY PLAN"];
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  });
}

/** A grant whose code was exchanged, with its first refresh token. */
async function family(client?: TestClient, approval: Parameters<OAuthFixture["approve"]>[1] = {}) {
  const owner = client ?? (await fixture.client());
  const code = await fixture.approve(owner, approval);
  return { client: owner, ...(await use(code)) };
}

async function use(code: string) {
  const { id: grantId } = ((await fixture.codes.find(code)) as StoredCode).grant;
  return { grantId, token: (await fixture.useCode(code, { grantId, resource: null })) as string };
}
