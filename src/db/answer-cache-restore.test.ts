import type { Knex } from "knex";
import { expect, test } from "vitest";
import { insertBatch } from "../donations/record/batch.ts";
import { streamerStore } from "../donations/streamers.ts";
import { someDonation } from "../donations/testing.ts";
import { answerCache } from "./answer-cache.ts";
import { batchedReads } from "./batched-reads.ts";
import type { Database } from "./database.ts";
import { useDatabase } from "./testing.ts";

let database: Database;
let knex: Knex;

useDatabase(async (opened) => {
  database = opened;
  knex = database.knex;
});

const tables = ["streamers", "donations", "alerts", "events", "overlays"];

async function saveAll(): Promise<void> {
  for (const table of tables) await knex.raw(`create table saved_${table} as table ${table}`);
}

/** The rows as they were, as after a restore or the promotion of a standby. Triggers do not fire. */
async function restoreAll(): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = replica");
    for (const table of tables) await trx.raw(`delete from ${table}`);
    for (const table of tables) await trx.raw(`insert into ${table} select * from saved_${table}`);
    for (const table of tables) await trx.raw(`drop table saved_${table}`);
  });
}

test.each([
  ["a donation", (streamerId: string) => insertBatch(knex, [someDonation(streamerId, {})], false)],
  ["a moved alert", (streamerId: string) => knex.raw("update alerts set status = 'expired' where streamer_id = ?", [streamerId])],
])("an answer that %s was lost with does not come back when the database has been restored under a running server", async (_, change) => {
  const { id: streamerId } = await streamerStore(knex).create(`s${Math.random().toString(36).slice(2)}`);
  await insertBatch(knex, [someDonation(streamerId, {})], false);
  const cache = answerCache(batchedReads(knex));
  const ask = async (text: string) => String(await cache({ streamerId, text: "list", showsAlerts: true }, async () => Buffer.from(text)));
  await knex.raw("update alerts set status = 'skipped' where streamer_id = ?", [streamerId]);
  await saveAll();
  await change(streamerId);
  expect(await ask("of what was lost")).toBe("of what was lost");
  await restoreAll();
  await change(streamerId);
  expect(await ask("of what is there")).toBe("of what is there");
});
