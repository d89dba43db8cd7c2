import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bytesOf, bytesOfGrams, filesWith, openErasureFixture } from "../../corrections/testing-erasure.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { findPostmaster } from "../../db/embedded/postmaster.ts";
import { migrate } from "../../db/migrator/migrate.ts";
import { makeSealer } from "../../db/secrets.ts";
import { removeDataDir, silent, temporaryDirectory } from "../../db/testing.ts";
import { indexAll } from "../../donations/search/blocks.ts";
import { gramsOf } from "../../donations/search/search-text.ts";
import { foldAll } from "../../reports/roll-ups/rollup.ts";
import { restoreBackup } from "./restore-backup.ts";
import { verifyDatabase } from "./verify.ts";
import { writeBackup } from "./write-backup.ts";

const person = { donatorName: "Żaneta Qwixworthy", message: "zyzzyva jkqx ฝากบอกแม่ด้วย", identifier: "line:U9f3Qwix77" };

let directories: string[];
let here: Database;
let there: Database;

beforeAll(async () => {
  directories = [await temporaryDirectory(), await temporaryDirectory()];
  const [first, second] = await Promise.all(directories.map((dataDir) => openDatabase({ dataDir, log: silent })));
  [here, there] = [first as Database, second as Database];
  await migrate(here);
}, 60_000);
afterAll(async () => {
  await Promise.allSettled([here.close(), there.close()]);
  for (const directory of directories) await removeDataDir(directory);
});

test("after the database is killed in mid-write, a backup restored elsewhere has every donation acknowledged before it, and nothing of who was erased", {
  timeout: 240_000,
}, async () => {
  const [from = "", to = ""] = directories;
  const erasureJournal = join(from, "erasures.ndjson");
  const fixture = await openErasureFixture(here.knex, { pool: here.pool({ max: 4, lockTimeoutMs: 250 }), journal: erasureJournal });
  const streamerId = await fixture.newStreamer();
  for (let i = 0; i < 300; i += 1) await fixture.donate(streamerId, i === 100 ? person : { donatorName: `เพื่อน${i % 9}`, message: "สวัสดี" });
  await foldAll(here.knex, streamerId);
  await indexAll(here.knex);

  const acknowledged: string[] = [];
  let isWriting = true;
  const writing = Array.from({ length: 4 }, async () => {
    while (isWriting) acknowledged.push((await fixture.donate(streamerId).catch(() => ({ id: "" }))).id);
  });
  while (acknowledged.length < 100) await new Promise((resolve) => setTimeout(resolve, 5));
  const before = acknowledged.filter(Boolean);
  const file = join(from, "backup.gz");
  await writeBackup(here.url, file, fixture.journal.read);
  await fixture.eraser.erase(streamerId, [`i:${person.identifier}`]);
  process.kill((await findPostmaster(await realpath(join(from, "postgres"))))?.pid as number, "SIGKILL");
  isWriting = false;
  await Promise.all(writing);

  const request = { file, replace: false, erasureJournal, sealer: makeSealer(null), entries: [] };
  expect((await restoreBackup(there, request)).erasedAgain.donations).toBe(1);
  const restored: string[] = await there.knex("donations").where({ streamer_id: streamerId }).pluck("id");
  expect(before.filter((id) => !restored.includes(id))).toEqual([]);
  expect(await verifyDatabase(there.knex)).toMatchObject({ faults: 0 });
  await there.knex.raw("checkpoint");
  const hashes = bytesOfGrams(await gramsOf(streamerId, 0, [{ ...person, donatorName: "" }]));
  expect(await filesWith(to, [...bytesOf(Object.values(person)), ...hashes])).toEqual([]);
});
