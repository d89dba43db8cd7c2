import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { verifyChains } from "../../audit/chains.ts";
import { auditLines } from "../../audit/testing.ts";
import { type ErasureFixture, openErasureFixture } from "../../corrections/testing-erasure.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrator/migrate.ts";
import { makeSealer } from "../../db/secrets.ts";
import { type TemporaryServer, temporaryDirectory, temporaryServer } from "../../db/testing.ts";
import { indexNext } from "../../donations/search/blocks.ts";
import { foldAll } from "../../reports/roll-ups/rollup.ts";
import { checkBackup } from "./load-backup.ts";
import { restoreBackup } from "./restore-backup.ts";
import { verifyDatabase } from "./verify.ts";
import { writeBackup } from "./write-backup.ts";

let server: TemporaryServer;
let database: Database;
let fixture: ErasureFixture;
let directory: string;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  await migrate(database);
  fixture = await openErasureFixture(database.knex, { pool: database.pool({ max: 4, lockTimeoutMs: 250 }) });
  directory = await temporaryDirectory();
  return async () => {
    await database.close();
    await server.remove();
  };
});

const backUp = (name: string) => writeBackup(database.url, join(directory, name), fixture.journal.read);

async function restoreElsewhere(file: string) {
  const target = await server.freshDatabase();
  const restored = await restoreBackup(target, {
    file: join(directory, file),
    replace: false,
    erasureJournal: fixture.erasureJournal,
    sealer: makeSealer(null),
    entries: [],
  });
  return { target, restored };
}

const faultsIn = async ({ knex }: Database) => (await verifyDatabase(knex)).checks;
const all = async ({ knex }: Database, streamerId: string) =>
  knex("donations").where({ streamer_id: streamerId }).orderBy("sequence").select("*");
const noFaults = expect.toSatisfy((checks: object) => Object.values(checks).every((count) => count === 0));

async function donations(streamerId: string, count: number) {
  for (let i = 0; i < count; i += 1)
    await fixture.donate(streamerId, {
      donatorName: `คนที่ ${i % 5}`,
      message: `บรรทัด\n\\. \t\u2028 ${i}`,
      amount: 0.1 + i,
      identifier: i % 5 === 1 ? "line:gone" : null,
    });
  await indexNext(database.knex, streamerId, { block: 8, era: 2 ** 20, batch: 8 });
  await foldAll(database.knex, streamerId);
}

test("a restored backup has the audit log with whole chains, and goes on with them", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.retention.set(streamerId, 365);
  const lines = await auditLines(database.knex);
  await backUp("audit.gz");
  const { target } = await restoreElsewhere("audit.gz");
  expect(await auditLines(target.knex)).toEqual(lines);
  await openErasureFixture(target.knex).then(({ retention }) => retention.set(streamerId, null));
  expect((await auditLines(target.knex, streamerId)).map(({ number, action }) => [number, action])).toEqual([
    [1, "retention.set"],
    [2, "retention.set"],
  ]);
  expect((await verifyChains(target.knex)).broken).toEqual([]);
  await expect(target.knex.raw("truncate audit_log")).rejects.toThrow("append-only");
  await target.close();
});

test("a backup that is restored elsewhere has every donation as it was, and verify finds no fault in it", async () => {
  const streamerId = await fixture.newStreamer();
  await donations(streamerId, 20);
  await backUp("whole.gz");
  await fixture.donate(streamerId); // after the backup
  const { target } = await restoreElsewhere("whole.gz");
  expect(await all(target, streamerId)).toEqual((await all(database, streamerId)).slice(0, 20));
  expect(await faultsIn(target)).toEqual(noFaults);
  await target.close();
});

test("what was erased after a backup is erased again when the backup is restored, and who donated again since is not", {
  timeout: 60_000,
}, async () => {
  const streamerId = await fixture.newStreamer();
  await donations(streamerId, 20);
  await backUp("older.gz");
  await fixture.eraser.erase(streamerId, ["i:line:gone"]);
  await fixture.donate(streamerId, { identifier: "line:gone", message: "กลับมาแล้ว" });
  await backUp("newer.gz");
  for (const [file, left] of [
    ["older.gz", 0],
    ["newer.gz", 1],
  ] as const) {
    const { target, restored } = await restoreElsewhere(file);
    expect(restored.erasedAgain.donations).toBe(file === "older.gz" ? 4 : 0);
    const rows = await all(target, streamerId);
    expect(rows.filter(({ identifier }) => identifier === "line:gone")).toHaveLength(left);
    expect(rows.filter(({ donator_name }) => donator_name === "(erased)")).toHaveLength(4);
    expect(await faultsIn(target)).toEqual(noFaults);
    await target.close();
  }
});

test("verify finds a roll-up, an alert and a search block that differ from the donations", async () => {
  const streamerId = await fixture.newStreamer();
  await donations(streamerId, 8);
  await backUp("broken.gz");
  const { target } = await restoreElsewhere("broken.gz");
  const { knex } = target;
  await knex("report_sums")
    .where({ streamer_id: streamerId, grain: 7 })
    .update({ amount: knex.raw("amount + 1") });
  await knex.raw("delete from alerts where ctid = any(array(select ctid from alerts where streamer_id = ? limit 1))", [streamerId]);
  await knex("donation_search_blocks")
    .where({ streamer_id: streamerId })
    .update({ grams: knex.raw("grams[2:]") });
  const found = await faultsIn(target);
  expect(found.report_sums).toBeGreaterThan(0);
  expect(found["donations without their alert"]).toBeGreaterThan(0);
  expect(found["search blocks"]).toBe(1);
  await target.close();
});

test("what is no whole backup of this version replaces nothing", async () => {
  await backUp("good.gz");
  const good = await readFile(join(directory, "good.gz"));
  const script = gunzipSync(good).toString("latin1");
  const files = {
    "cut-off.gz": good.subarray(0, good.length / 2),
    "without-end.gz": gzipSync(Buffer.from(script.slice(0, -"-- end\n".length), "latin1")),
    "newer.gz": gzipSync(Buffer.from(script.replace('"migrations":[', '"migrations":["9999_future.sql",'), "latin1")),
    "before-1.0.0.gz": gzipSync(Buffer.from(script.replace(/"migrations":\[.*?\]/, '"migrations":["0001_spine"]'), "latin1")),
    "other.gz": gzipSync("select 1;\n"),
    "checksum.gz": good.with(-8, (good.at(-8) ?? 0) ^ 1),
    "length.gz": good.with(-1, 1),
    "manifest.gz": gzipSync(Buffer.from(script.replace('{"madeAt"', "{madeAt"), "latin1")),
    "more.gz": gzipSync(Buffer.from(`${script}-- end\n`, "latin1")),
    "value.gz": gzipSync(Buffer.from(script.replace(/^(copy "streamers" .*\n[^\t]*)\t/m, "$1"), "latin1")),
    "text.gz": Buffer.from(script, "latin1"),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(directory, name), bytes);
  const target = await server.freshDatabase();
  await migrate(target);
  await target.knex("streamers").insert({ id: streamerThere });
  const request = { replace: true, erasureJournal: fixture.erasureJournal, sealer: makeSealer(null), entries: [] };
  for (const [name, message] of [
    ["missing.gz", "no such file"],
    ["cut-off.gz", "unexpected end of file"],
    ["without-end.gz", "its end is missing"],
    ["newer.gz", "lacks the migration 9999_future.sql"],
    ["before-1.0.0.gz", "made by a checkout before 1.0.0"],
    ["other.gz", "is no backup"],
    ["text.gz", "incorrect header check"],
    ["checksum.gz", "incorrect data check"],
    ["length.gz", "incorrect length check"],
    ["manifest.gz", "is no backup"],
    ["more.gz", "has lines behind its end"],
    ["value.gz", /has a row of \d+ values where copy "streamers" .* has \d+ columns/],
  ] as const) {
    await expect(checkBackup(join(directory, name)), name).rejects.toThrow(message);
    await expect(restoreBackup(target, { ...request, file: join(directory, name) }), name).rejects.toThrow();
    expect(await target.knex("streamers").pluck("id"), name).toEqual([streamerThere]);
  }
  await checkBackup(join(directory, "good.gz"));
  await restoreBackup(target, { ...request, file: join(directory, "good.gz") });
  expect(await target.knex("streamers").pluck("id")).not.toContain(streamerThere);
  await target.close();
});

const streamerThere = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

/** What a database has, by schema. */
const contentOf = async ({ knex }: Database) =>
  (
    await knex.raw(`select nspname, relname, relkind from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname !~ '^pg_|information_schema' union all
      select nspname, proname, prokind from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname !~ '^pg_|information_schema' union all
      select nspname, 'schema', 'n' from pg_namespace where nspname !~ '^pg_|information_schema' order by 1, 2, 3`)
  ).rows;

test("a restore that the database refuses leaves an empty database empty, and one to replace as it was", async () => {
  await fixture.newStreamer();
  await backUp("twice.gz");
  const script = gunzipSync(await readFile(join(directory, "twice.gz"))).toString("latin1");
  const twice = script.replace(/^(copy "streamers" .*\n)(.*\n)/m, "$1$2$2");
  await writeFile(join(directory, "twice.gz"), gzipSync(Buffer.from(twice, "latin1")));
  await checkBackup(join(directory, "twice.gz"));
  const request = {
    replace: true,
    file: join(directory, "twice.gz"),
    erasureJournal: fixture.erasureJournal,
    sealer: makeSealer(null),
    entries: [],
  };
  const target = await server.freshDatabase();
  for (const step of ["empty", "migrated"]) {
    if (step === "migrated") await migrate(target);
    const before = await contentOf(target);
    await expect(restoreBackup(target, request), step).rejects.toThrow("duplicate key");
    expect(await contentOf(target), step).toEqual(before);
  }
  await target.close();
});

test("a restore into a database where another one was broken off is refused, and says where the content of before is", async () => {
  await backUp("broken-off.gz");
  const target = await server.freshDatabase();
  await target.knex.raw("create schema replaced_by_restore");
  const request = {
    replace: true,
    file: join(directory, "broken-off.gz"),
    erasureJournal: fixture.erasureJournal,
    sealer: makeSealer(null),
    entries: [],
  };
  await expect(restoreBackup(target, request)).rejects.toThrow(/broken off: the schema replaced_by_restore has what was there before/);
  await target.close();
});

test("a restore refuses a database that is not empty, and a file that is cut leaves nothing", async () => {
  await backUp("refused.gz");
  const request = { replace: false, erasureJournal: fixture.erasureJournal, sealer: makeSealer(null), entries: [] };
  await expect(restoreBackup(database, { ...request, file: join(directory, "refused.gz") })).rejects.toThrow("not empty");
  const script = gunzipSync(await readFile(join(directory, "refused.gz")));
  await writeFile(join(directory, "cut.gz"), gzipSync(script.subarray(0, -"-- end\n".length)));
  const target = await server.freshDatabase();
  await expect(restoreBackup(target, { ...request, file: join(directory, "cut.gz") })).rejects.toThrow("its end is missing");
  expect(await target.knex.schema.hasTable("donations")).toBe(false);
  const rows = Array.from({ length: 300_000 }, () => `${randomUUID()}\n`).join("");
  const long = gzipSync(script.toString("latin1").replace(/^copy "streamers" .*\n/m, `copy "streamers" ("id") from stdin;\n${rows}`));
  await writeFile(join(directory, "cut.gz"), long.subarray(0, long.length * 0.9));
  await expect(restoreBackup(target, { ...request, file: join(directory, "cut.gz") })).rejects.toThrow("unexpected end of file");
  const { rows: sessions } = await target.knex.raw("select from pg_stat_activity where application_name = 'donations restore'");
  expect(sessions).toEqual([]); // an embedded PostgreSQL could not be ended
  await target.close();
});
