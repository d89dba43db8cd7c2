import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { Database } from "./database.ts";
import { isDiskFull, isLockConflict, isLockTimeout, isUnavailable, noteFullDisk } from "./failures.ts";
import { createPool } from "./pool.ts";
import { silent, type TemporaryServer, temporaryServer } from "./testing.ts";

const secretText = 'สมชาย - secret\'s "donator"';

let server: TemporaryServer;
let database: Database;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  await database.knex.raw(`
    create table people (id uuid, name text constraint people_name unique, age int constraint grown_up check (age > 17));
    create function refuse(text) returns void language plpgsql as $$ begin raise exception 'no % here', $1; end $$`);
});

afterAll(async () => {
  await database?.close();
  await server?.remove();
});

describe("a lost or absent database is unavailable", () => {
  const cases: [string, () => Promise<unknown>][] = [
    ["nobody listens", () => onPool("postgres://postgres@127.0.0.1:1/x", (pool) => pool.raw("select 1"))],
    ["the host has no address", () => onPool("postgres://postgres@nowhere.invalid/x", (pool) => pool.raw("select 1"))],
    ["the backend is terminated", () => database.knex.raw("select pg_terminate_backend(pg_backend_pid())")],
    ["the pool stays full", () => onPool(database.url, fill)],
    ["the pool was closed", () => onPool(database.url, (pool) => pool.destroy().then(() => pool.raw("select 1")))],
    ["an idle transaction was ended", () => onPool(database.url, idle)],
  ];
  test.each(cases)("the database is unavailable when %s", async (_, act) => expect(isUnavailable(await failureOf(act))).toBe(true));

  test.each(["08006", "53300", "57P01", "57P02", "57P03", "25006", "25P03", "28P01", "CERT_HAS_EXPIRED", "ECONNRESET", "EPIPE"])(
    "an error with the code %s means that the database is unavailable",
    (code) => expect(isUnavailable(Object.assign(new Error("x"), { code }))).toBe(true),
  );

  test("a terminated connection is recognised behind the statement that Knex puts in front of the message", () =>
    expect(isUnavailable(new Error("select 1 - Connection terminated unexpectedly"))).toBe(true));

  test("the database is unavailable when both its IPv6 and its IPv4 address refuse the connection", () =>
    expect(isUnavailable(new AggregateError([Object.assign(new Error(), { code: "ECONNREFUSED" })]))).toBe(true));
});

test.each([
  ["55P03", "a lock time-out", [true, true]],
  ["40P01", "a deadlock", [false, true]],
  ["40001", "a serialization failure", [false, false]],
])("an error with the code %s, %s: is it a lock time-out, is it a lock conflict? %j", (code, _, expected) => {
  const error = Object.assign(new Error("x"), { code });
  expect([isLockTimeout(error), isLockConflict(error)]).toEqual(expected);
});

describe("a database that refuses a statement is available", () => {
  const statements = [
    "select wrong syntax here",
    "select 1/0",
    "insert into people (age) values (3)",
    "set statement_timeout = 10; select pg_sleep(1)",
    "do $$ begin raise exception 'connection terminated'; end $$",
  ];
  test.each(statements)("a database that refuses the statement is available: %s", async (sql) =>
    expect(isUnavailable(await failureOf(() => database.knex.transaction((trx) => trx.raw(sql))))).toBe(false),
  );

  test("an error of the program, and a value that is no Error, do not mean that the database is unavailable", () =>
    expect([new TypeError("x is undefined"), undefined, "timeout expired"].map(isUnavailable)).toEqual([false, false, false]));
});

describe("the description of a failure contains no text of a donator", () => {
  const cases: [string, string, object][] = [
    [
      "a repeated key",
      "insert into people (name) values (:secret), (:secret)",
      { code: "23505", constraint: "people_name", table: "people" },
    ],
    ["a failed check", "insert into people (name, age) values (:secret, 3)", { code: "23514", constraint: "grown_up", table: "people" }],
    ["a value of another type", "insert into people (id) values (cast(:secret as text)::uuid)", { code: "22P02" }],
    ["a raised exception", "select refuse(:secret)", { code: "P0001" }],
    [
      "a missing column",
      "select misspelt from people where name = :secret",
      { code: "42703", message: expect.stringContaining("misspelt") },
    ],
  ];
  test.each(cases)("the description of %s contains no text of a donator", async (_, sql, expected) => {
    const description = describeFailure(await failureOf(() => database.knex.raw(sql, { secret: secretText })));
    expect(description).toMatchObject(expected);
    for (const word of ["สมชาย", "secret", "donator", "insert", "select"]) expect(JSON.stringify(description)).not.toContain(word);
  });

  test("the message of an error of Knex contains no bindings", async () => {
    const sql = "insert into people (name, age) select ?, 3 where not '{}'::jsonb \\? 'key'";
    const failure = await failureOf(() => database.knex.raw(sql, [secretText]));
    expect(failure.message).not.toContain("สมชาย");
  });

  test("a lost connection is described by its code and message", async () => {
    const failure = await failureOf(() => onPool("postgres://postgres@127.0.0.1:1/x", (pool) => pool.raw("select 1")));
    expect(describeFailure(failure)).toMatchObject({ code: "ECONNREFUSED", message: expect.stringContaining("127.0.0.1:1") });
  });
});

async function failureOf(act: () => PromiseLike<unknown>): Promise<Error> {
  try {
    await act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it succeeded");
}

async function onPool(url: string, act: (pool: ReturnType<typeof createPool>) => PromiseLike<unknown>): Promise<void> {
  const pool = createPool(url, { max: 1 }, silent);
  await Promise.resolve(act(pool)).finally(() => pool.destroy());
}

function fill(pool: ReturnType<typeof createPool>): Promise<unknown> {
  return pool.transaction(async () => {
    await pool.raw("select 1");
  });
}

function idle(pool: ReturnType<typeof createPool>): Promise<unknown> {
  return pool.transaction(async (trx) => {
    await trx.raw("set idle_in_transaction_session_timeout = 50");
    await sleep(300);
    await trx.raw("select 1");
  });
}

/** Long ago, so that the disks of other tests are not full. */
const longAgo = { database: -2_000_000, server: -1_000_000 };

test.each([
  ["53100", "database", "server"],
  ["ENOSPC", "server", "database"],
] as const)(
  "after a failure with the code %s the disk of the %s is full for half a minute, and that of the %s is not",
  (code, disk, other) => {
    const start = longAgo[disk];
    noteFullDisk(Object.assign(new Error("no space left on device"), { code }), start);
    const states = (now: number) => [isDiskFull(disk, now), isDiskFull(other, now)];
    expect([states(start), states(start + 29_999), states(start + 30_000)]).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
    noteFullDisk(Object.assign(new Error("too many connections"), { code: "53300" }), start + 40_000);
    expect(states(start + 40_000)).toEqual([false, false]);
  },
);
