import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import type { Database } from "../db/database.ts";
import { findPostmaster } from "../db/embedded/postmaster.ts";
import { type TemporaryServer, temporaryDirectory, temporaryServer } from "../db/testing.ts";
import { writeBackup } from "../ops/backup/write-backup.ts";

let server: TemporaryServer;
let database: Database;
let folder: string;
beforeAll(async () => {
  server = await temporaryServer();
  database = await server.migratedDatabase();
  folder = await temporaryDirectory();
  return async () => {
    await database.close();
    await server.remove();
  };
});

/** Runs a command on the database that `env` names. */
async function run(env: Record<string, string>, ...args: string[]): Promise<{ code: number | null; output: string; error: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const cli: ChildProcess = spawn(process.execPath, ["src/cli.ts", "database", ...args], {
    env: { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder, ...env },
  });
  const exit = once(cli, "exit");
  const [output, error] = await Promise.all([text(cli.stdout as NodeJS.ReadableStream), text(cli.stderr as NodeJS.ReadableStream)]);
  const [code] = (await exit) as [number | null];
  return { code, output, error };
}

const tablesOf = async ({ knex }: Database): Promise<string[]> =>
  (await knex.raw<{ rows: { name: string }[] }>("select tablename as name from pg_tables where schemaname = 'public'")).rows.map(
    ({ name }) => name,
  );

test("verify of an empty database says that there is nothing to verify, and makes nothing", async () => {
  const empty = await server.freshDatabase();
  const { code, output, error } = await run({ DATABASE_URL: empty.url }, "verify");
  expect([code, output, error]).toEqual([
    1,
    "",
    expect.stringMatching(/^There is nothing to verify: the database has no table of donations/),
  ]);
  expect(await tablesOf(empty)).toEqual([]);
  await empty.close();
});

test("migrate brings an empty database to the schema, and names its last migration", async () => {
  const empty = await server.freshDatabase();
  const { code, output } = await run({ DATABASE_URL: empty.url }, "migrate");
  expect([code, JSON.parse(output)]).toEqual([0, { schema: expect.stringMatching(/^\d{4}_/) }]);
  expect(await tablesOf(empty)).toContain("donations");
  await empty.close();
});

test("verify in a folder without a database says so, and makes none", async () => {
  const DATA_DIR = join(folder, "none");
  const { code, error } = await run({ DATA_DIR }, "verify");
  expect([code, error]).toEqual([1, `There is nothing to verify: there is no database in ${DATA_DIR} (DATABASE_URL, DATA_DIR).\n`]);
  expect(await readdir(folder)).not.toContain("none");
});

test("verify of a database compares it", async () => {
  const { code, output } = await run({ DATABASE_URL: database.url }, "verify");
  expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ faults: 0 })]);
});

test("a restore of a damaged file starts no embedded PostgreSQL, and one that is refused later ends it and leaves the database empty", async () => {
  const file = join(folder, "backup.gz");
  await writeBackup(database.url, file, async () => []);
  const script = gunzipSync(await readFile(file)).toString("latin1");
  await writeFile(join(folder, "damaged.gz"), gzipSync(script.slice(0, -8)));
  const line = `copy "streamers" ("none") from stdin;\n${"x\n".repeat(400_000)}`;
  await writeFile(join(folder, "refused.gz"), gzipSync(Buffer.from(script.replace(/^copy "streamers" .*\n/m, line), "latin1")));
  const DATA_DIR = join(folder, "restored");
  expect(await run({ DATA_DIR }, "restore", join(folder, "damaged.gz"))).toMatchObject({
    code: 1,
    error: expect.stringContaining("not whole"),
  });
  expect(await readdir(folder)).not.toContain("restored");
  const refused = await run({ DATA_DIR }, "restore", join(folder, "refused.gz"));
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('column "none"') });
  expect(await findPostmaster(join(DATA_DIR, "postgres"))).toBeUndefined();
  expect(await run({ DATA_DIR }, "restore", file)).toMatchObject({ code: 0 });
});
