import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openDatabase } from "../db/database.ts";
import { migrate } from "../db/migrator/migrate.ts";
import { query, silent } from "../db/testing.ts";
import { saveDonatorNote } from "../donations/donator-notes.ts";
import { indexAll } from "../donations/search/blocks.ts";
import { gramsOf } from "../donations/search/search-text.ts";
import { foldAll } from "../reports/roll-ups/rollup.ts";
import { openErasureFixture } from "./testing-erasure.ts";

const url = process.env.DATABASE_URL;
const run = promisify(execFile);
const hasDump = await run("pg_dump", ["--version"]).then(
  () => true,
  () => false,
);
const noDump = "there is no pg_dump (apt-get install postgresql-client)";

const person = { donatorName: "Żaneta Qwixworthy", message: "zyzzyva jkqx ฝากบอกแม่ด้วย", identifier: "line:U9f3Qwix77" };
const idempotencyKey = "order-Qwix-4711";
const note = "Qwixworthy: sends cakes";
const texts = [...Object.values(person), idempotencyKey, note];
const friend = { donatorName: "เพื่อน", message: "สวัสดี", identifier: null };

test("a dump by pg_dump after an erasure has nothing that the person wrote, and no hash of search of it", {
  timeout: 120_000,
}, (context) => {
  if (!url) context.skip("not run: DATABASE_URL names no PostgreSQL server (.ci/run gives it one)");
  if (!hasDump && process.env.CI) throw new Error(noDump);
  if (!hasDump) context.skip(`not run: ${noDump}`);
  return onNewDatabase(async (there) => {
    const database = await openDatabase({ databaseUrl: there, dataDir: "/nowhere", log: silent });
    try {
      await migrate(database);
      const fixture = await openErasureFixture(database.knex, { pool: database.pool({ max: 4, lockTimeoutMs: 250 }) });
      const streamerId = await fixture.newStreamer();
      for (let i = 0; i < 300; i += 1) await fixture.donate(streamerId, i === 5 ? { ...person, idempotencyKey } : friend);
      await saveDonatorNote(database.knex, streamerId, { donatorKey: `i:${person.identifier}`, note });
      await foldAll(database.knex, streamerId);
      await indexAll(database.knex);
      const traces = [...texts, ...(await ownGrams(streamerId))];
      const found = async () => {
        const { stdout } = await run("pg_dump", ["--dbname", there], { maxBuffer: 2 ** 28 });
        const numbers = new Set(stdout.match(/-?\d+(?=[,}])/g));
        return traces.filter((trace) => (typeof trace === "number" ? numbers.has(`${trace}`) : stdout.includes(trace)));
      };
      expect(await found()).toEqual(traces);
      await fixture.eraser.erase(streamerId, [`i:${person.identifier}`]);
      expect(await found()).toEqual([]);
    } finally {
      await database.close();
    }
  });
});

/** Hashes of search that only the person's donation has, and so long that no other number of a dump is one by chance. */
async function ownGrams(streamerId: string): Promise<number[]> {
  const others = await gramsOf(streamerId, 0, [friend, { donatorName: "(erased)", message: "", identifier: null }]);
  return (await gramsOf(streamerId, 0, [person])).filter((gram) => !others.includes(gram) && Math.abs(gram) > 1e8);
}

/** On the server that DATABASE_URL names, whose pg_dump is installed beside it. */
async function onNewDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const name = `erasure_${randomUUID().replaceAll("-", "")}`;
  await query(url as string, `create database ${name}`);
  const there = new URL(url as string);
  there.pathname = `/${name}`;
  await work(there.href).finally(() => query(url as string, `drop database ${name} with (force)`));
}
