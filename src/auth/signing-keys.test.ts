import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { makeSealer } from "../db/secrets.ts";
import { type TemporaryServer, temporaryServer } from "../db/testing.ts";
import { loadSigningKeys } from "./signing-keys.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let server: TemporaryServer;
let database: Database;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  await migrate(database);
});

afterAll(async () => {
  await database?.close();
  await server?.remove();
});

test("an unknown kid is looked up without a warning of the process, right after a reload and long after it", async () => {
  const warnings: string[] = [];
  const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
  process.on("warning", note);
  const keys = await loadSigningKeys(database.knex, makeSealer(null));
  expect(await keys.verifying("unknown")).toBeNull();
  await sleep(200); // longer than reloads are apart
  expect(await keys.verifying("unknown")).toBeNull();
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
