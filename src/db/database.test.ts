import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Database, openDatabase } from "./database.ts";
import { prepareBinaries } from "./embedded/binaries.ts";
import { openCluster } from "./embedded/cluster.ts";
import { chooseRunner } from "./embedded/runner.ts";
import { killProcess } from "./embedded/testing-client-process.ts";
import { isUnavailable } from "./failures.ts";
import { requireConnections } from "./requirements.ts";
import { query, removeDataDir, silent, type TemporaryServer, temporaryDirectory, temporaryServer } from "./testing.ts";

let server: TemporaryServer;
let database: Database;

beforeAll(async () => {
  server = await temporaryServer();
});

afterAll(async () => server?.remove());

beforeEach(async () => {
  database = await server.freshDatabase();
});

afterEach(async () => database.close());

describe("values that the database sends", () => {
  test("a bigint is read as a number while that is exact, and as text beyond", async () => {
    const sql = "select 9007199254740991 as safe, 9007199254740992 as unsafe, array[1, null, 9007199254740992]::bigint[] as several";
    expect(await first(sql)).toEqual({ safe: 9007199254740991, unsafe: "9007199254740992", several: [1, null, "9007199254740992"] });
  });

  test("a numeric is read as its text, in an array too", async () => {
    const sql = "select 0.10000000000000000001 as one, array[1.10, null]::numeric[] as several";
    expect(await first(sql)).toEqual({ one: "0.10000000000000000001", several: ["1.10", null] });
  });

  test("type parsers of other users of `pg` in this process are unchanged", async () => {
    expect(await query(database.url, "select 1::bigint as one")).toEqual([{ one: "1" }]);
  });
});

test("PGPASSWORD is the password of an address that has none, with any characters", async () => {
  const password = "p/@#?:%41 ก";
  await query(database.url, `create role typed login password '${password}'`);
  const url = Object.assign(new URL(database.url), { username: "typed", password: "" }).href;
  vi.stubEnv("PGPASSWORD", password);
  const typed = await openDatabase({ databaseUrl: url, dataDir: "/nowhere", log: silent }).finally(() => vi.unstubAllEnvs());
  const { rows } = await typed.knex.raw("select current_user as name");
  await typed.close();
  await query(database.url, "drop role typed");
  expect(rows).toEqual([{ name: "typed" }]);
});

test.each([
  ["no password", "", "The server asks for a password, and there is none: set PGPASSWORD, or write it percent-encoded into DATABASE_URL."],
  ["a wrong password", "wrong", "Correct user and password: in DATABASE_URL, where / @ # are written as %2F %40 %23, or in PGPASSWORD"],
])("%s is refused at once with what to set", async (_, password, advice) => {
  const url = Object.assign(new URL(database.url), { password }).href;
  const began = performance.now();
  await expect(openDatabase({ databaseUrl: url, dataDir: "/nowhere", waitMs: 60_000, log: silent })).rejects.toThrow(advice);
  expect(performance.now() - began).toBeLessThan(10_000);
});

describe("sessions", () => {
  test("a session uses UTC, whatever the time zone of the database", async () => {
    await query(database.url, `alter database ${new URL(database.url).pathname.slice(1)} set timezone = 'Asia/Bangkok'`);
    const { rows } = await database.pool({ max: 1 }).raw("show timezone");
    expect(rows).toEqual([{ TimeZone: "UTC" }]);
  });

  test("a session has the options that the operator wrote into the URL", async () => {
    const url = new URL(database.url);
    url.searchParams.set("options", "-c search_path=theirs");
    const other = await openDatabase({ databaseUrl: url.href, dataDir: "/nowhere", log: silent });
    const { rows } = await other.knex.raw("select current_setting('search_path') as path, current_setting('timezone') as zone");
    await other.close();
    expect(rows).toEqual([{ path: "theirs", zone: "UTC" }]);
  });

  test("sessions of another pool have its application name and time-outs", async () => {
    const writer = database.pool({ max: 2, lockTimeoutMs: 70, statementTimeoutMs: 5_000, applicationName: "writer" });
    const { rows } = await writer.raw(`select current_setting('lock_timeout') as lock,
      current_setting('statement_timeout') as statement, current_setting('application_name') as name`);
    expect(rows).toEqual([{ lock: "70ms", statement: "5s", name: "writer" }]);
  });

  test("a session that dies in use or idle fails its query at most, never the process", async () => {
    const killed = database.knex.transaction(async (trx) => {
      const { rows } = await trx.raw("select pg_backend_pid() as pid");
      await query(database.url, `select pg_terminate_backend(${rows[0].pid}, 5000)`);
      await sleep(100);
      await trx.raw("select 1");
    });
    await expect(killed).rejects.toThrow();
    expect(await first("select 1 as one")).toEqual({ one: 1 });
  });
});

test("close ends every pool, and a second close does nothing", async () => {
  const name = `closing ${Date.now()}`;
  await database.pool({ max: 1, applicationName: name }).raw("select 1");
  await Promise.all([database.close(), database.close()]);
  const left = () => query(server.url, `select 1 from pg_stat_activity where application_name = '${name}'`);
  await vi.waitFor(async () => expect(await left()).toEqual([]));
});

describe("a database on which donations could be lost", () => {
  test.each([
    ["LC_CTYPE C", "template template0 locale 'C'", /LC_CTYPE C, with which search finds no Thai text: create it again/],
    ["LC_CTYPE POSIX", "template template0 locale 'POSIX'", /LC_CTYPE (C|POSIX),/],
    ["another encoding", "template template0 encoding 'SQL_ASCII' locale 'C'", /encoding SQL_ASCII, and UTF8 is needed: create it again/],
  ])("a database with %s is refused", async (_, options, message) => {
    await expect(server.freshDatabase(options)).rejects.toThrow(message);
  });

  test("a database whose commits do not wait for the disk is refused", async () => {
    await query(database.url, `alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`);
    const refused = openDatabase({ databaseUrl: database.url, dataDir: "/nowhere", log: silent });
    await expect(refused).rejects.toThrow(/synchronous_commit=off.*set synchronous_commit = on/);
  });

  test("a database on a server without fsync is refused", async () => {
    const { url, end } = await serverWithoutFsync();
    const refused = openDatabase({ databaseUrl: url, dataDir: "/nowhere", log: silent });
    await expect(refused)
      .rejects.toThrow(/fsync=off.*set fsync = on.*DURABILITY=attested:REASON/)
      .finally(end);
  });

  test("a database on a server without fsync is used when DURABILITY attests why commits are safe, and the reason is logged", async () => {
    const { url, end } = await serverWithoutFsync();
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line) => lines.push(line) });
    const opened = await openDatabase({ databaseUrl: url, dataDir: "/nowhere", durability: "kept by three safekeepers", log });
    await opened.close().finally(end);
    expect(lines.join()).toMatch(/kept by three safekeepers/);
  });

  test("a database that does not exist is refused, naming it but not the password", async () => {
    const url = Object.assign(new URL(server.url), { pathname: "/absent" });
    const refused = openDatabase({ databaseUrl: url.href, dataDir: "/nowhere", log: silent });
    const message = new RegExp(`^(?!.*${url.password}).*${url.host}/absent .*does not exist.*DATABASE_URL`);
    await expect(refused).rejects.toThrow(message);
  });

  test("a database with fewer connections than the workers may open is refused, naming both numbers", async () => {
    await expect(requireConnections(database, 2)).resolves.toBeUndefined();
    await expect(requireConnections(database, 99)).rejects.toThrow(
      /99 workers may open 3866 connections \(39 each\).*allows \d+:.*WORKERS/,
    );
  });

  test("the connection limit of a role or a database counts for its workers", async () => {
    const name = new URL(database.url).pathname.slice(1);
    await query(database.url, `alter database ${name} connection limit 30`);
    await expect(requireConnections(database, 2)).rejects.toThrow(
      "the database allows 30: raise its max_connections, or the connection limit",
    );
  });

  test("a database whose server does not run is refused as unavailable", async () => {
    const refused = openDatabase({ databaseUrl: "postgres://me@127.0.0.1:1/x", dataDir: "/nowhere", log: silent });
    await expect(refused).rejects.toSatisfy(isUnavailable);
    await expect(refused).rejects.toThrow(/127\.0\.0\.1:1\/x cannot be used.*ECONNREFUSED/);
  });

  test("a database whose server does not answer in time, as on a busy machine, is asked again", async () => {
    const { hostname, port } = new URL(server.url);
    const relay = createServer((socket) => {
      socket.on("error", () => {});
      if (connections++ === 0) return; // the first one is never answered
      socket.pipe(connect(Number(port), hostname)).pipe(socket);
    });
    let connections = 0;
    await once(relay.listen(0, "127.0.0.1"), "listening");
    const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${(relay.address() as AddressInfo).port}` });
    const opened = await openDatabase({ databaseUrl: url.href, dataDir: "/nowhere", log: silent });
    await opened.close();
    relay.close();
    expect(connections).toBeGreaterThan(1);
  });

  test("a malformed DATABASE_URL is refused without showing the password", async () => {
    const refused = openDatabase({ databaseUrl: "postgres//me:secret@host/x", dataDir: "/nowhere", log: silent });
    await expect(refused).rejects.toThrow(/^(?!.*secret).*postgres:\/\/user:password@host/);
  });
});

async function first(sql: string): Promise<unknown> {
  return (await database.knex.raw(sql)).rows[0];
}

/** Started here, because our own launcher never starts one without fsync. */
async function serverWithoutFsync(): Promise<{ url: string; end(): Promise<void> }> {
  const dataDir = await temporaryDirectory();
  const { directory, owner, password } = await openCluster(dataDir, silent);
  const runner = chooseRunner(owner);
  const postgres = join(await prepareBinaries(dataDir, runner.owner), "bin", "postgres");
  const port = 20_000 + (process.pid % 10_000);
  const settings = ["fsync=off", "listen_addresses=127.0.0.1", "unix_socket_directories=", "dynamic_shared_memory_type=mmap"];
  const options = ["-D", directory, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const [command, ...args] = [...runner.prefix, postgres, ...options];
  const child = spawn(command!, args, { ...runner.owner, stdio: ["ignore", "ignore", "pipe"] });
  while (!String(await once(child.stderr!, "data")).includes("ready to accept connections"));
  const end = async () => {
    await killProcess(child);
    await removeDataDir(dataDir);
  };
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, end };
}
