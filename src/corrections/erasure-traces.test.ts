import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrator/migrate.ts";
import { removeDataDir, temporaryDirectory } from "../db/testing.ts";
import { saveDonatorNote } from "../donations/donator-notes.ts";
import { indexNext } from "../donations/search/blocks.ts";
import { gramsOf } from "../donations/search/search-text.ts";
import { purge } from "../ops/backup/purge.ts";
import { foldAll } from "../reports/roll-ups/rollup.ts";
import { bytesOf, bytesOfGrams, filesWith, openErasureFixture } from "./testing-erasure.ts";

let dataDir: string;
let database: Database;

beforeAll(async () => {
  dataDir = await temporaryDirectory(); // a server of its own: purging needs all of its files
  const log = pino({ level: "trace" }, createWriteStream(join(dataDir, "server.log")));
  database = await openDatabase({ dataDir, log });
  await migrate(database);
});
afterAll(async () => {
  await database.close();
  await removeDataDir(dataDir);
});

const person = { donatorName: "Żaneta Qwixworthy", message: "zyzzyva jkqx ฝากบอกแม่ด้วย", identifier: "line:U9f3Qwix77" };
const key = "order-Qwix-4711";
const texts = [
  person.donatorName,
  "zaneta qwixworthy",
  "żaneta qwixworthy",
  person.message,
  "zyzzyva jkqx",
  person.identifier,
  "Qwix77",
  "Qwix sends cakes",
  key,
];

test("after an erasure and a purge no file below DATA_DIR has the person's bytes, in UTF-8, UTF-16 or as hashes of search", {
  timeout: 120_000,
}, async () => {
  const { knex } = database;
  const fixture = await openErasureFixture(knex, {
    pool: database.pool({ max: 4, lockTimeoutMs: 250 }),
    journal: join(dataDir, "erasures.ndjson"),
  });
  const streamerId = await fixture.newStreamer();
  for (let i = 0; i < 16; i += 1)
    await fixture.donate(streamerId, i === 5 ? { ...person, idempotencyKey: key } : { donatorName: `เพื่อน${i}`, message: "สวัสดี" });
  await saveDonatorNote(knex, streamerId, { donatorKey: `i:${person.identifier}`, note: "Qwix sends cakes" });
  await indexNext(knex, streamerId, { block: 8, era: 2 ** 20, batch: 8 });
  await foldAll(knex, streamerId);
  await knex.raw("analyze; checkpoint");
  const hashes = bytesOfGrams(await gramsOf(streamerId, 0, [{ ...person, donatorName: "" }]));
  for (const sought of [bytesOf(texts), hashes]) expect(await filesWith(dataDir, sought)).not.toEqual([]);

  await fixture.eraser.erase(streamerId, [`i:${person.identifier}`]);
  expect(await purge(database)).toMatchObject({ statistics: true, walRemoved: true });
  await knex.raw("checkpoint");
  expect(await filesWith(dataDir, [...bytesOf(texts), ...hashes])).toEqual([]);
});
