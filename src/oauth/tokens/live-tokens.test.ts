import { afterAll, beforeAll, expect, test } from "vitest";
import { type OAuthFixture, openOAuthFixture } from "../testing.ts";
import type { StoredCode } from "./authorization-code.ts";

let fixture: OAuthFixture;

beforeAll(async () => {
  fixture = await openOAuthFixture();
});

afterAll(() => fixture?.close());

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
