import { cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Database, openDatabase } from "../database.ts";
import { query, removeDataDir, silent, type TemporaryServer, temporaryDirectory, temporaryServer, until } from "../testing.ts";
import { migrate } from "./migrate.ts";

let server: TemporaryServer;
let database: Database;
let directory: string;

beforeAll(async () => {
  server = await temporaryServer();
});

afterAll(async () => server?.remove());

beforeEach(async () => {
  database = await server.freshDatabase();
  directory = await temporaryDirectory();
});

afterEach(async () => {
  await database.close();
  await removeDataDir(directory);
});

test("migrations run in the order of their numbers, each once", async () => {
  await writeMigrations({ "0002_second.sql": "insert into trail values (2)", "0001_first.sql": "create table trail (step int)" });
  await migrate(database, directory);
  await writeMigrations({ "0003_third.sql": "insert into trail values (3)" });
  await migrate(database, directory);
  expect(await steps()).toEqual([2, 3]);
});

test("a user who may make no tables, and a database that takes no writes, are refused with what to do", async () => {
  const name = new URL(database.url).pathname.slice(1);
  await query(database.url, "create role guest login password 'guest'");
  const url = Object.assign(new URL(database.url), { username: "guest", password: "guest" }).href;
  const asGuest = await openDatabase({ databaseUrl: url, dataDir: "/nowhere", log: silent });
  await expect(migrate(asGuest, directory)).rejects.toThrow(
    /cannot be used: permission denied for schema public\. .*alter database NAME owner to/,
  );
  await asGuest.close();
  await query(database.url, `drop role guest; alter database ${name} set default_transaction_read_only = on`);
  const readOnly = await openDatabase({ databaseUrl: database.url, dataDir: "/nowhere", log: silent });
  await expect(migrate(readOnly, directory)).rejects.toThrow(/It takes no writes: name the primary server in DATABASE_URL/);
  await readOnly.close();
});

test("a migration that comes later with a lower number than those that have run is run", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)", "0003_third.sql": "insert into trail values (3)" });
  await migrate(database, directory);
  await writeMigrations({ "0002_second.sql": "insert into trail values (2)" });
  await migrate(database, directory);
  expect(await steps()).toEqual([2, 3]);
});

test("a .sql migration reaches the database unchanged: question marks, comments, several statements", async () => {
  await writeMigrations({
    "0001_first.sql": "-- why? \\? :name\ncreate table trail (step int, note text);\ninsert into trail values (1, '?');",
  });
  await migrate(database, directory);
  expect(await database.knex("trail").select()).toEqual([{ step: 1, note: "?" }]);
});

test("the .sql files of a folder are one migration and run in the order of their names", async () => {
  await writeMigrations({
    "0001_first/2_rows.sql": "insert into trail values (1);\n",
    "0001_first/1_tables.sql": "create table trail (step int);",
    "0002_second.sql": "insert into trail values (2)",
  });
  await migrate(database, directory);
  expect(await steps()).toEqual([1, 2]);
  await writeMigrations({ "0001_first/2_rows.sql": "insert into trail values (3);\n" });
  await expect(migrate(database, directory)).rejects.toThrow(/0001_first was edited/);
});

test("an error in a file of a folder is named by file and line", async () => {
  await writeMigrations({
    "0001_first/1_tables.sql": "create table trail (step int);",
    "0001_first/2_rows.sql": "\ninsert into nowhere values (1);",
  });
  await expect(migrate(database, directory)).rejects.toThrow(/0001_first\/2_rows\.sql, line 2, failed: relation "nowhere"/);
});

test("four processes that migrate at once run each migration once, and all four succeed", async () => {
  await writeMigrations({
    "0001_first.sql": "create table trail (step int)",
    "0002_second.sql": "select pg_sleep(0.2); insert into trail values (2)",
  });
  const four = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ databaseUrl: database.url, dataDir: "/nowhere", log: silent })));
  await Promise.all(four.map((each) => migrate(each, directory))).finally(() => Promise.all(four.map((each) => each.close())));
  expect(await steps()).toEqual([2]);
});

test("a process that is killed while it migrates does not lock out the next one", async () => {
  await writeMigrations({
    "0001_first.sql": "create table trail (step int)",
    "0002_second.sql": "insert into trail values (2)",
  });
  const holder = await database.knex.transaction();
  await holder.raw("select pg_advisory_xact_lock(hashtextextended('donations schema migrations', 0))");
  const migrating = migrate(database, directory);
  const { rows } = await holder.raw("select pg_backend_pid() as pid");
  await database.knex.raw("select pg_terminate_backend(?)", [rows[0].pid]);
  await migrating;
  await holder.rollback().catch(() => {});
  expect(await steps()).toEqual([2]);
});

test("a failing migration is an error with its name and line, and the whole batch is rolled back", async () => {
  await writeMigrations({
    "0001_first.sql": "create table trail (step int)",
    "0002_second.sql": "insert into trail values (2);\n-- 😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀\n\ninsert into nowhere values (1);",
  });
  await expect(migrate(database, directory)).rejects.toThrow(/0002_second\.sql, line 4, failed: relation "nowhere"/);
  expect(await database.knex.schema.hasTable("trail")).toBe(false);
});

test("the version before starts on the schema of a newer one that is compatible with it, and leaves it as it is", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)" });
  await migrate(database, directory);
  const before = await temporaryDirectory();
  await cp(directory, before, { recursive: true });
  await writeMigrations({
    "0002_second.sql": "-- compatible since 0001\ninsert into trail values (2)",
    "0003_third.sql": "-- compatible since 0001\ninsert into trail values (3)",
  });
  await migrate(database, directory);
  await migrate(database, before).finally(() => removeDataDir(before));
  expect(await steps()).toEqual([2, 3]);
});

test.each([
  ["that is compatible only since a later one", "-- compatible since 0002\n"],
  ["that says nothing", ""],
])("the version before refuses the schema of a newer migration %s", async (_, head) => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)" });
  await migrate(database, directory);
  const before = await temporaryDirectory();
  await cp(directory, before, { recursive: true });
  await writeMigrations({ "0002_second.sql": "insert into trail values (2)", "0003_third.sql": `${head}insert into trail values (3)` });
  await migrate(database, directory);
  await expect(migrate(database, before).finally(() => removeDataDir(before))).rejects.toThrow(/0002_second, 0003_third|0003_third/);
});

test("a migration that finds a table locked gives up within seconds, lets the others go first, and is tried again", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)" });
  await migrate(database, directory);
  await writeMigrations({ "0002_second.sql": "alter table trail add column note text" });
  const holder = await database.knex.transaction();
  await holder.raw("insert into trail values (1)");
  const migrating = migrate(database, directory);
  await until(() => waitsForLock());
  await database.knex.raw("insert into trail values (2)"); // it waits behind the migration, for two seconds at most
  await holder.commit();
  await migrating;
  expect(await database.knex("trail").orderBy("step").select()).toEqual([
    { step: 1, note: null },
    { step: 2, note: null },
  ]);
});

test("a migration without a transaction builds an index concurrently, while another process waits to migrate", async () => {
  await writeMigrations({
    "0001_first.sql": "create table trail (step int)",
    "0002_second/1_drop.sql": "-- without a transaction\ndrop index concurrently if exists steps;\n",
    "0002_second/2_create.sql": "create index concurrently steps on trail (step); -- sorted\n",
  });
  await Promise.all([migrate(database, directory), migrate(database, directory)]);
  const { rows } = await database.knex.raw("select indisvalid from pg_index where indexrelid = 'steps'::regclass");
  expect(rows).toEqual([{ indisvalid: true }]);
});

test("a database of a newer version is refused by the name of its migration, and stays unchanged", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)" });
  await migrate(database, directory);
  await database.knex("schema_migrations").insert({ name: "0009_from_the_future", sha256: "" });
  await writeMigrations({ "0002_second.sql": "insert into trail values (2)" });
  await expect(migrate(database, directory)).rejects.toThrow(/0009_from_the_future.*newer version/);
  expect(await steps()).toEqual([]);
});

test("a database that a checkout before 1.0.0 has made is refused with what to do, and nothing in it is touched", async () => {
  await database.knex.raw("create table knex_migrations (name text); insert into knex_migrations values ('0001_spine')");
  const before = await contentOf();
  await expect(migrate(database)).rejects.toThrow(
    /^A checkout before 1\.0\.0 has made this database, .* begin with an empty one \(another DATABASE_URL or DATA_DIR\), and import [^.]*\.$/,
  );
  expect(await contentOf()).toEqual(before);
});

test("an applied migration that was edited is refused by name, and no pending migration runs", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)" });
  await migrate(database, directory);
  await writeMigrations({ "0001_first.sql": "create table trail (step bigint)", "0002_second.sql": "insert into trail values (2)" });
  await expect(migrate(database, directory)).rejects.toThrow(/0001_first was edited.*write a new migration/);
  expect(await steps()).toEqual([]);
});

test("an edited migration that was restored is accepted, whatever the line ends of the checkout", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail\n(step int)" });
  await migrate(database, directory);
  await writeMigrations({ "0001_first.sql": "create table trail\r\n(step int)", "0002_second.sql": "insert into trail values (2)" });
  await migrate(database, directory);
  expect(await steps()).toEqual([2]);
});

test("two migrations with one number, or a file with another form of name, are refused before any migration runs", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail (step int)", "0001_other.sql": "select 1" });
  await expect(migrate(database, directory)).rejects.toThrow(/have the number 0001/);
  await removeDataDir(directory);
  await writeMigrations({ "first.sql": "create table trail (step int)" });
  await expect(migrate(database, directory)).rejects.toThrow(/first\.sql is not named like a migration/);
  expect(await database.knex.schema.hasTable("trail")).toBe(false);
});

test("a migration has no statement time-out", async () => {
  await writeMigrations({ "0001_first.sql": "create table trail as select current_setting('statement_timeout') as step" });
  await migrate(database, directory);
  expect(await steps()).toEqual(["0"]);
});

async function writeMigrations(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
}

/** Columns of all tables, and the rows of the one that migrations were recorded in. */
async function contentOf(): Promise<unknown> {
  const columns = "select table_name, column_name from information_schema.columns where table_schema = 'public' order by 1, 2";
  return [await database.knex.raw(columns).then(({ rows }) => rows), await database.knex("knex_migrations")];
}

async function waitsForLock(): Promise<boolean> {
  const { rows } = await database.knex.raw("select from pg_locks where not granted and relation = 'trail'::regclass");
  return rows.length > 0;
}

function steps(): Promise<unknown[]> {
  return database.knex("trail").orderBy("step").pluck("step");
}
