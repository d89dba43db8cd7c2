import { afterAll, beforeAll, expect, test } from "vitest";
import { grantStates, type OAuthFixture, openOAuthFixture, type TestClient } from "../testing.ts";
import type { StoredCode } from "./authorization-code.ts";

const confidential = { public: false };

let fixture: OAuthFixture;
let client: TestClient;

beforeAll(async () => {
  fixture = await openOAuthFixture();
  client = await fixture.client();
});

afterAll(() => fixture?.close());

test("uses of refresh tokens that arrive together are one transaction", async () => {
  const tokens = await Promise.all(Array.from({ length: 8 }, async () => (await family()).token));
  const rotated = await Promise.all(tokens.map((token) => fixture.rotate(token, confidential)));
  expect(new Set(rotated).size).toBe(8);
  expect(rotated).not.toContain(null);
  const { rows } = await fixture.database.knex.raw("select distinct xmin::text from oauth_refresh_tokens where rotated_at is not null");
  expect(rows).toHaveLength(1);
});

test("a grant that another transaction has locked delays no use of another grant's token", async () => {
  const [locked, free] = [await family(), await family()];
  const order: string[] = [];
  const rotate = async (name: string, token: string) => {
    const next = await fixture.rotate(token, confidential);
    order.push(name);
    return next;
  };
  const { waiting, first } = await fixture.database.knex.transaction(async (trx) => {
    await trx("oauth_grants").where({ id: locked.grantId }).forUpdate().first("id");
    const waiting = rotate("locked", locked.token);
    return { waiting: [waiting], first: await rotate("free", free.token) };
  });
  expect(first).toEqual(expect.any(String));
  expect(await waiting[0]).toEqual(expect.any(String));
  expect(order).toEqual(["free", "locked"]);
});

test("a token whose grant is revoked while its use waits is not rotated", async () => {
  const { grantId, token } = await family();
  const waiting = await fixture.database.knex.transaction(async (trx) => {
    await trx("oauth_grants").where({ id: grantId }).update({ revoked_at: trx.fn.now() });
    const use = fixture.rotate(token, confidential);
    await untilSomebodyWaits();
    return [use];
  });
  expect(await waiting[0]).toBeNull();
});

test("among tokens used together, only the grant of a reused one is revoked", async () => {
  const owner = await fixture.client({ public: true });
  const [reused, other] = [await family(owner), await family()];
  const isPublic = { public: true };
  await fixture.rotate(reused.token, isPublic);
  const outcomes = await Promise.all([fixture.rotate(reused.token, isPublic), fixture.rotate(other.token, confidential)]);
  expect(outcomes).toEqual([null, expect.any(String)]);
  expect(await grantStates(fixture, owner.client_id)).toEqual(["revoked"]);
});

/** Waits until a session of this database waits for a lock. */
async function untilSomebodyWaits(): Promise<void> {
  const waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await fixture.database.knex.raw(waits)).rows.length === 0);
}

/** A grant whose code was exchanged, with its first refresh token. */
async function family(owner = client): Promise<{ grantId: string; token: string }> {
  const code = await fixture.approve(owner);
  const { id: grantId } = ((await fixture.codes.find(code)) as StoredCode).grant;
  return { grantId, token: (await fixture.useCode(code, { grantId, resource: null })) as string };
}
