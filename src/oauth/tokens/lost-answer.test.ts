import type { Knex } from "knex";
import { afterAll, beforeAll, expect, test } from "vitest";
import { batchedReads } from "../../db/batched-reads.ts";
import { noteLostCommits } from "../../db/pool.ts";
import { silent } from "../../db/testing.ts";
import { asProblem } from "../../http/middleware.ts";
import { grantStates, type OAuthFixture, openOAuthFixture, rotationsOf, type TestClient, usesOf } from "../testing.ts";
import { codeStore, type StoredCode } from "./authorization-code.ts";
import { refreshTokenStore } from "./refresh-token.ts";

let fixture: OAuthFixture;
let client: TestClient;
/** On pools of their own, whose next answers get lost. */
let general: Knex;
let rotations: Knex;
let useCode: OAuthFixture["useCode"];
let rotate: OAuthFixture["rotate"];

beforeAll(async () => {
  fixture = await openOAuthFixture();
  client = await fixture.client({ public: true });
  general = fixture.database.pool({ max: 4 });
  rotations = fixture.database.pool({ max: 1 });
  useCode = usesOf(codeStore(general));
  rotate = rotatingOn(rotations);
});

afterAll(() => fixture?.close());

test("a refresh whose answer is lost after its commit has its new token, and the grant stays", async () => {
  const { token } = await connect();
  losesAnswer(rotations, /rotate_refresh_token/);
  const next = await rotate(token, { public: true });
  expect(next).toEqual(expect.any(String));
  expect(await rotate(next as string, { public: true })).toEqual(expect.any(String));
  expect(await grantStates(fixture, client.client_id)).not.toContain("revoked");
});

test("a refresh whose answer is lost, and which was not recorded, is answered with 500: its outcome is unknown", async () => {
  const { token } = await connect();
  losesAnswer(rotations, /rotate_refresh_token/, false);
  const error = await rotate(token, { public: true }).catch((failure: unknown) => failure);
  expect(asProblem(error, "1", silent).code).toBe("internal_error");
  expect(await rotate(token, { public: true })).toEqual(expect.any(String));
});

test("a refresh for which there is no connection is answered with 503: nothing was recorded", async () => {
  const { token } = await connect();
  const broken = fixture.database.pool({ max: 1 });
  await broken.destroy();
  const error = await rotatingOn(broken)(token, { public: true }).catch((failure: unknown) => failure);
  expect(asProblem(error, "1", silent).code).toBe("unavailable");
});

test("a code whose exchange fails before its commit is not used up", async () => {
  const { code, grantId } = await approved();
  losesAnswer(general, /insert into oauth_refresh_tokens/);
  const error = await useCode(code, { grantId, resource: null }).catch((failure: unknown) => failure);
  expect(asProblem(error, "1", silent).code).toBe("unavailable");
  expect(await useCode(code, { grantId, resource: null })).toEqual(expect.any(String));
});

test("a code whose exchange is committed and whose answer is lost has its tokens", async () => {
  const { code, grantId } = await approved();
  losesAnswer(general, /^commit/i);
  const token = await useCode(code, { grantId, resource: null });
  expect(await rotate(token as string, { public: true })).toEqual(expect.any(String));
});

function rotatingOn(pool: Knex): OAuthFixture["rotate"] {
  return rotationsOf(refreshTokenStore({ knex: general, reads: batchedReads(general), rotations: pool }, fixture.grants));
}

async function approved() {
  const code = await fixture.approve(client);
  return { code, grantId: ((await fixture.codes.find(code)) as StoredCode).grant.id };
}

async function connect() {
  const { code, grantId } = await approved();
  return { token: (await fixture.useCode(code, { grantId, resource: null })) as string };
}

/** The connection of the pool's next statement like this is lost after it, or before. */
function losesAnswer(pool: Knex, statement: RegExp, isExecuted = true): void {
  const acquire = pool.client.acquireConnection.bind(pool.client);
  const lost = () => new Error("Connection terminated unexpectedly");
  pool.client.acquireConnection = async () => {
    const connection = await acquire();
    const query = connection.query.bind(connection);
    connection.query = (config: string | { text: string }, ...others: ((error: Error) => void)[]) => {
      const text = typeof config === "string" ? config : config.text;
      if (!statement.test(text)) return query(config, ...others);
      pool.client.acquireConnection = acquire;
      connection.query = query;
      const end = () => connection.end().catch(() => {});
      const callback = others[0];
      const executed = isExecuted ? query(config) : Promise.resolve();
      if (!callback) return executed.then(end).then(() => Promise.reject(lost()));
      executed.then(end).then(() => callback(lost()));
    };
    noteLostCommits(connection);
    return connection;
  };
}
