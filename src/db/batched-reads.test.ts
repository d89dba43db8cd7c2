import type { Knex } from "knex";
import { expect, test } from "vitest";
import { runningMs } from "../base/testing-time.ts";
import { batchedReads } from "./batched-reads.ts";
import type { Database } from "./database.ts";
import { useDatabase } from "./testing.ts";

let database: Database;
let pool: Knex;

useDatabase(async (opened) => {
  database = opened;
  await database.knex.raw("create table words (number bigint, word text)");
  await database.knex.raw("insert into words select n, 'word ' || n from generate_series(1, 300) n");
  await database.knex.raw("create table statements (text text)");
  pool = database.pool({ max: 2 });
});

type Word = { number: number; word: string };

test("many calls at once each get their own rows", async () => {
  const reads = batchedReads(pool);
  const first = (number: number, count: number) =>
    reads<Word>(
      (bind) => `select number, word from words where number >= ${bind(number, "bigint")} order by number limit ${bind(count, "integer")}`,
    );
  const found = await Promise.all(Array.from({ length: 200 }, (_, index) => first(index + 1, 1 + (index % 3))));
  for (const [index, rows] of found.entries()) {
    const expected = Array.from({ length: 1 + (index % 3) }, (_, next) => `word ${index + 1 + next}`);
    expect(rows.map(({ word }) => word).sort()).toEqual(expected.sort());
  }
  expect(await first(1_000, 5)).toEqual([]);
});

test.each(["", "null", "NULL", 'a "quoted" \\ word', "{a,b}", " ", "สมชาย", "a,b", "'", "🎉"])(
  "the text %j arrives as it is, alone and in a list",
  async (text) => {
    const reads = batchedReads(pool);
    const [row] = await reads<{ one: string; list: string[] }>(
      (bind) => `select ${bind(text, "text")} as one, ${bind([text, "x"], "text[]")} as list`,
    );
    expect(row).toMatchObject({ one: text, list: [text, "x"] });
  },
);

test("null arrives as null, a double as its shortest decimal", async () => {
  const reads = batchedReads(pool);
  const [row] = await reads<{ nothing: null; amount: string }>(
    (bind) => `select ${bind(null, "text")} as nothing, ${bind(0.1, "numeric")} as amount`,
  );
  expect(row).toMatchObject({ nothing: null, amount: "0.1" });
});

test("a call that fails is rejected alone, beside others of the same batch and before later ones", async () => {
  const reads = batchedReads(pool);
  const divide = (by: number) => reads<{ result: number }>((bind) => `select 1 / ${bind(by, "integer")} as result`);
  const [half, failed, whole] = await Promise.allSettled([divide(1), divide(0), divide(1)]);
  expect(failed).toMatchObject({ status: "rejected", reason: { code: "22012" } });
  expect([half, whole]).toMatchObject([{ value: [{ result: 1 }] }, { value: [{ result: 1 }] }]);
  expect((await divide(1))[0]?.result).toBe(1);
});

test("calls of a batch that runs longer than a statement may are all rejected then, not one after the other", async () => {
  const reads = batchedReads(database.pool({ max: 2, statementTimeoutMs: 300 }));
  const sleep = (seconds: number) => reads((bind) => `select pg_sleep(${bind(seconds, "numeric")}::float8) as slept`);
  const settling = Promise.allSettled(Array.from({ length: 20 }, () => sleep(1)));
  expect(await runningMs(() => settling)).toBeLessThan(2_000);
  const settled = await settling;
  for (const one of settled) expect(one).toMatchObject({ status: "rejected", reason: { code: "57014" } });
});

test("when the database goes away while the calls of a batch run alone, the rest are rejected at once", async () => {
  const failures = [databaseError("22012"), databaseError("22012"), databaseError("57P01")];
  let statements = 0;
  const query = async () => Promise.reject(failures[statements++] ?? databaseError("08006"));
  const reads = batchedReads({
    client: { acquireConnection: async () => ({ query }), releaseConnection: async () => {} },
  } as unknown as Knex);
  const settled = await Promise.allSettled(
    Array.from({ length: 10 }, (_, by) => reads((bind) => `select 1 / ${bind(by, "integer")} as x`)),
  );
  expect(settled.map((one) => one.status === "rejected" && one.reason.code)).toEqual(["22012", ...Array(9).fill("57P01")]);
  expect(statements).toBe(3);
});

function databaseError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
