import type { Knex } from "knex";
import { expect, test, vi } from "vitest";
import type { Database } from "./database.ts";
import { preparedQuery } from "./prepared-query.ts";
import { useDatabase } from "./testing.ts";

let database: Database;
let pool: Knex;

useDatabase(async (opened) => {
  database = opened;
  await database.knex.raw("create table words (word text)");
  await database.knex.raw("insert into words values ('one')");
  pool = database.pool({ max: 2 });
});

const statement = { name: "words", text: "select word from words where word = $1" };
const ask = () => preparedQuery<{ word: string }>(pool, statement, ["one"]);
const askOnEachConnection = () => Promise.all([ask(), ask()]);
const both = [[{ word: "one" }], [{ word: "one" }]];

test("a prepared statement is answered after a column of its answer has got another type", async () => {
  expect(await askOnEachConnection()).toEqual(both);
  await database.knex.raw("alter table words alter column word type varchar");
  for (let time = 0; time < 3; time += 1) expect(await askOnEachConnection()).toEqual(both);
});

test("a prepared statement is answered on a connection that has forgotten it", async () => {
  await askOnEachConnection();
  await Promise.all([pool.raw("deallocate all"), pool.raw("deallocate all")]);
  for (let time = 0; time < 3; time += 1) expect(await askOnEachConnection()).toEqual(both);
});

test("a prepared statement is prepared again only once after it was lost", async () => {
  await askOnEachConnection();
  await Promise.all([pool.raw("discard all"), pool.raw("discard all")]);
  await askOnEachConnection();
  const pid = async () => (await preparedQuery<{ pid: number }>(pool, { name: "pid", text: "select pg_backend_pid() as pid" }, []))[0]?.pid;
  const before = await pid();
  await ask();
  expect(await pid()).toBe(before);
});

test("a statement that the database refuses is rejected, and works again once its reason is gone", async () => {
  await database.knex.raw("alter table words rename to others");
  await expect(ask()).rejects.toMatchObject({ code: "42P01" });
  await database.knex.raw("alter table others rename to words");
  expect(await ask()).toEqual([{ word: "one" }]);
});

test("a connection keeps at most a hundred prepared statements", async () => {
  const single = database.pool({ max: 1 });
  const askThe = (number: number) => preparedQuery<{ n: number }>(single, { name: `number ${number}`, text: `select ${number} as n` }, []);
  for (let number = 0; number < 250; number += 1) {
    expect(await askThe(number)).toEqual([{ n: number }]);
    expect(await askThe(number % 10)).toEqual([{ n: number % 10 }]);
  }
  const { rows } = await single.raw("select count(*) as count from pg_prepared_statements");
  expect(rows[0].count).toBeGreaterThan(40);
  expect(rows[0].count).toBeLessThanOrEqual(100);
});

test("a statement that was planned for a short table is planned anew within half a minute, without the database counting rows", async () => {
  const grown = database.pool({ max: 1, settings: { plan_cache_mode: "force_generic_plan" } });
  await grown.raw("create table growing (id int primary key) with (autovacuum_enabled = off)");
  await grown.raw("insert into growing values (1)");
  await grown.raw("analyze growing");
  const read = { name: "growing", text: "select id from growing where id = $1" };
  const planOf = async () => JSON.stringify((await grown.raw("explain execute growing(1)")).rows);
  await preparedQuery(grown, read, [1]);
  await grown.raw("insert into growing select generate_series(2, 20000)");
  expect(await planOf()).toContain("Seq Scan");
  const later = performance.now() + 30_000;
  const clock = vi.spyOn(performance, "now").mockReturnValue(later);
  expect(await preparedQuery(grown, read, [20_000])).toEqual([{ id: 20_000 }]);
  clock.mockRestore();
  expect(await planOf()).toContain("Index");
});
