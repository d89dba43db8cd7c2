import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { type TemporaryServer, temporaryServer } from "../db/testing.ts";
import { loadDenials } from "./denials.ts";

let server: TemporaryServer;
let database: Database;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.migratedDatabase();
});

afterAll(async () => {
  await database?.close();
  await server?.remove();
});

async function owner() {
  const streamerId = uuidv7();
  await database.knex("streamers").insert({ id: streamerId, handle: streamerId });
  return { streamerId, client: "client" };
}

test("a token that waits to be denied keeps no connection on which credentials are looked up", async () => {
  const lookUps = database.pool({ max: 1, connectTimeoutMs: 500 });
  const denials = await loadDenials(lookUps, database.knex);
  const jti = uuidv7();
  const lock = await database.knex.transaction();
  await lock("credential_changes").forUpdate().first("version");
  const denied = denials.denyToken(jti, await owner());
  await expect.poll(() => denials.has(jti)).toBe(true);
  expect(await lookUps("credential_changes").first("version")).toBeDefined();
  await lock.commit();
  await denied;
});

test("a token whose denial failed does not count as denied, so that denying it again records it", async () => {
  const broken = database.pool({ max: 1 });
  await broken.destroy();
  const denials = await loadDenials(database.knex, broken);
  const jti = uuidv7();
  await expect(denials.denyToken(jti, await owner())).rejects.toThrow();
  expect(denials.has(jti)).toBe(false);
});
