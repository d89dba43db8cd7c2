import type { Knex } from "knex";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "./database.ts";
import { isUnavailable } from "./failures.ts";
import { migrate } from "./migrator/migrate.ts";
import { createPool } from "./pool.ts";
import { preparedQuery } from "./prepared-query.ts";
import { requireConnections } from "./requirements.ts";
import { query, silent, type TemporaryServer, temporaryServer } from "./testing.ts";
import { hasPooler, type TemporaryPooler, temporaryPooler, whyNotPooled } from "./testing-pooler.ts";

const settingsSql = `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
  current_setting('timezone') as zone, current_setting('enable_seqscan') as scan`;
const ours = { lock: "70ms", statement: "5s", zone: "UTC", scan: "off" };
const theirs = { lock: "0", statement: "0", zone: "Asia/Bangkok", scan: "on" };
const options = { max: 2, lockTimeoutMs: 70, statementTimeoutMs: 5_000, settings: { enable_seqscan: "off" } };

describe.skipIf(!hasPooler)(`${whyNotPooled}through PgBouncer in transaction mode`, () => {
  let server: TemporaryServer;
  let pooler: TemporaryPooler;
  let direct: Database;
  let database: Database;
  let pool: Knex;
  const lines: string[] = [];

  beforeAll(async () => {
    server = await temporaryServer();
    direct = await server.freshDatabase();
    await query(direct.url, `alter database ${new URL(direct.url).pathname.slice(1)} set timezone = 'Asia/Bangkok'`);
    pooler = await temporaryPooler(server.url, "transaction", 2);
    database = await openPooled({ log: pino({ level: "info" }, { write: (line) => lines.push(line) }) });
    pool = database.pool(options);
  });

  afterAll(async () => {
    await database?.close();
    await pooler?.stop();
    await direct?.close();
    await server?.remove();
  });

  const openPooled = (source: Partial<Parameters<typeof openDatabase>[0]> = {}) =>
    openDatabase({ databaseUrl: pooler.url(direct.url), dataDir: "/nowhere", log: silent, ...source });

  test("the pooler is found, and named in the log with what follows from it", () => {
    expect(database.isPooled).toBe(true);
    expect(direct.isPooled).toBe(false);
    expect(lines.join()).toMatch(/"preparedStatements":"off".*pooler/);
  });

  test("a database whose connections a pooler counts is not refused for the number of workers", async () => {
    await expect(requireConnections(database, 99)).resolves.toBeUndefined();
  });

  test("a single statement has the settings of its pool: with values and without", async () => {
    expect((await pool.raw(settingsSql)).rows).toEqual([ours]);
    expect((await pool.raw(`${settingsSql}, ?::int as one`, [1])).rows).toEqual([{ ...ours, one: 1 }]);
  });

  test("a statement of several commands answers each of them", async () => {
    const answers = (await pool.raw("select 1 as one; select 2 as two")) as unknown as { rows: unknown[] }[];
    expect(answers.map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ two: 2 }]]);
  });

  test("a transaction has the settings of its pool, and its own beyond them", async () => {
    const isolation = { isolationLevel: "repeatable read", readOnly: true } as const;
    await pool.transaction(async (transaction) => {
      expect((await transaction.raw(settingsSql)).rows).toEqual([ours]);
      await transaction.raw("set local lock_timeout = 90");
      expect((await transaction.raw(settingsSql)).rows).toEqual([{ ...ours, lock: "90ms" }]);
      expect((await transaction.raw("show transaction_isolation")).rows).toEqual([{ transaction_isolation: "repeatable read" }]);
    }, isolation);
  });

  test("a server connection keeps no setting of a pool for its next user", async () => {
    const other = await openPooled();
    const [one, two] = [database.pool(options), other.pool({ max: 2 })];
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([one.raw("select pg_sleep(0.01)"), two.raw("select pg_sleep(0.01)")]);
      await one.transaction((transaction) => transaction.raw("select 1"));
      expect(await query(pooler.url(direct.url), settingsSql)).toEqual([theirs]);
    }
    await other.close();
  });

  test("a statement that fails leaves a connection whose next statement is answered", async () => {
    const single = database.pool({ ...options, max: 1 });
    await expect(single.raw("select 1 / ?::int", [0])).rejects.toMatchObject({ code: "22012" });
    await expect(single.raw("select 1 / 0")).rejects.toMatchObject({ code: "22012" });
    await expect(single.raw("wrong")).rejects.toMatchObject({ code: "42601", position: expect.anything() });
    await expect(single.transaction((transaction) => transaction.raw("select 1 / 0"))).rejects.toMatchObject({ code: "22012" });
    expect((await single.raw(settingsSql)).rows).toEqual([ours]);
  });

  test("the lock time-out of a pool ends the wait of a single statement", async () => {
    await direct.knex.raw("create table locked as select 1 as one");
    await direct.knex.transaction(async (holder) => {
      await holder.raw("select * from locked for update");
      await expect(pool.raw("update locked set one = ?", [2])).rejects.toMatchObject({ code: "55P03" });
    });
  });

  test("the statement time-out of a pool ends a single statement", async () => {
    const short = database.pool({ max: 1, statementTimeoutMs: 50 });
    await expect(short.raw("select pg_sleep(?)", [5])).rejects.toMatchObject({ code: "57014" });
    await expect(short.raw("select pg_sleep(5)")).rejects.toMatchObject({ code: "57014" });
  });

  test("statements that run alone only, such as vacuum, run", async () => {
    await expect(pool.raw("vacuum pg_class")).resolves.toBeDefined();
  });

  test("statements with a name are answered by whichever server connection runs them", async () => {
    const text = "select pg_backend_pid() as pid, pg_sleep($1)";
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => preparedQuery<{ pid: number }>(pool, { name: "pid", text }, [0.02])),
    );
    expect(new Set(answers.map(([row]) => row?.pid)).size).toBeGreaterThan(1);
    for (let number = 0; number < 250; number += 1)
      expect(await preparedQuery(pool, { name: `number ${number}`, text: `select ${number}::int as n` }, [])).toEqual([{ n: number }]);
  });

  test("migrations run, and run again", async () => {
    await migrate(database);
    await migrate(database);
    expect(await query(direct.url, "select count(*) > 0 as run from schema_migrations")).toEqual([{ run: true }]);
  });

  test("parameters behind DATABASE_URL that the pooler refuses are named with what to do", async () => {
    const url = `${pooler.url(direct.url)}?options=-c%20search_path=x`;
    await expect(openPooled({ databaseUrl: url })).rejects.toThrow(/unsupported startup parameter: options.*leave it out/);
  });

  test("what to do about a refusal of the pooler is said when the wait for it begins", async () => {
    const said: string[] = [];
    const log = pino({}, { write: (line) => said.push(line) });
    const url = `${pooler.url(direct.url)}?options=-c%20search_path=x`;
    await expect(openPooled({ databaseUrl: url, waitMs: 100, log })).rejects.toThrow();
    expect(said.join()).toMatch(/cannot be used yet; waiting for up to 0.1 s. A connection pooler refuses .* DATABASE_URL/);
  });

  test("a pooler in statement mode is refused with what to set there", async () => {
    const statements = await temporaryPooler(server.url, "statement");
    const database = await openPooled({ databaseUrl: statements.url(direct.url) });
    await expect(migrate(database)).rejects.toThrow(/statement pooling mode\. .*set pool_mode = transaction there/);
    await database.close();
    await statements.stop();
  });

  test("a pooler that has no server for a new connection is unavailable after the pool's time-out for connections", async () => {
    const lost = await temporaryPooler(Object.assign(new URL(server.url), { port: "1" }).href);
    const waiting = createPool(lost.url(direct.url), { max: 1, connectTimeoutMs: 300 }, silent);
    await expect(waiting.raw("select 1")).rejects.toSatisfy(isUnavailable);
    await waiting.destroy();
    await lost.stop();
  });
});

describe("without a pooler", () => {
  let server: TemporaryServer;
  let database: Database;

  beforeAll(async () => {
    server = await temporaryServer();
    database = await server.freshDatabase();
  });

  afterAll(async () => {
    await database?.close();
    await server?.remove();
  });

  const preparedOn = async (preparedStatements?: boolean | null) => {
    const opened = await openDatabase({ databaseUrl: database.url, dataDir: "/nowhere", log: silent, preparedStatements });
    const pool = opened.pool({ ...options, max: 1 });
    await preparedQuery(pool, { name: "one", text: "select 1 as one" }, []);
    const { rows } = await pool.raw("select name from pg_prepared_statements");
    const settings = (await pool.raw(settingsSql)).rows[0];
    await opened.close();
    return { names: rows.map(({ name }: { name: string }) => name), settings };
  };

  test("a session keeps its settings and prepares statements with a name", async () =>
    expect(await preparedOn()).toEqual({ names: ["one"], settings: ours }));

  test("PREPARED_STATEMENTS=off prepares none", async () => expect(await preparedOn(false)).toEqual({ names: [], settings: ours }));
});
