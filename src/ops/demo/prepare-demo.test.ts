import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Config } from "../../config.ts";
import { temporaryDirectory, useDatabase } from "../../db/testing.ts";
import { streamerStore } from "../../donations/streamers.ts";
import { passwordStore } from "../../oauth/accounts/passwords.ts";
import { demoHandle, prepareDemo } from "./prepare-demo.ts";

const database = useDatabase();

const passwordIn = (greeting: string) => /\(demo, password (\S+)\)/.exec(greeting)?.[1];

test("the demo's password is printed at every start, also on another database, and no more once it was changed", async () => {
  const dataDir = await temporaryDirectory();
  const config = { dataDir, brand: "namjai", baseUrl: "http://127.0.0.1:3000", speaker: null } as unknown as Config;
  const start = async () => passwordIn(await prepareDemo(config, database));
  const first = await start();
  expect(await start()).toBe(first);
  await database.knex("streamer_passwords").delete(); // what an empty database lacks that demo.json has
  const second = await start();
  expect(second).not.toBe(first);
  expect(await passwordStore(database.knex).verifyPassword(demoHandle, String(second))).not.toBeNull();
  expect(JSON.parse(await readFile(join(dataDir, "demo.json"), "utf8"))).toMatchObject({ password: second });
  const { id } = await streamerStore(database.knex).require(demoHandle);
  await passwordStore(database.knex).setPassword(id, "another one");
  expect(await start()).toBeUndefined();
});
