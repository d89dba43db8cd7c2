// The function that records where the database is distributed, on a single node: it runs there as it is.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import { createPool } from "../../db/pool.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import type { NewDonation } from "../donation.ts";
import { importStore } from "../import/import-store.ts";
import { insertImported } from "../import/importer.ts";
import { newStreamer, someDonation } from "../testing.ts";
import { type BatchRow, insertBatch } from "./batch.ts";
import { fenceBatch, findRecorded } from "./find-recorded.ts";
import { makeWriter } from "./writer.ts";

let knex: Knex;
let onNode: Knex;

useDatabase(async (database) => {
  knex = database.knex;
  await knex.raw("create function create_distributed_function(text, text, colocate_with text) returns void language sql as ''");
  onNode = createPool(database.url, { max: 4, traits: { layout: "onNodes" } }, silent);
  return () => onNode.destroy();
});

const kinds: [string, (streamerId: string) => NewDonation[]][] = [
  ["ordinary donations", (streamerId) => [someDonation(streamerId), someDonation(streamerId, { amount: 0.1, message: "สวัสดี" })]],
  ["one without an alert", (streamerId) => [someDonation(streamerId, { skipAlert: true }), someDonation(streamerId)]],
  ["one with a time of its own", (streamerId) => [someDonation(streamerId, { createdAt: 951_782_400_000, createdOffset: 420 })]],
];

test.each(kinds)("the function records what the statement records: %s", async (_, make) => {
  const [byStatement, byFunction] = [await newStreamer(knex), await newStreamer(knex)];
  const rows = [await insertBatch(knex, make(byStatement), false), await insertBatch(onNode, make(byFunction), false)];
  expect(rows.map((some) => some.map(({ sequence }) => sequence).sort())).toEqual([sequences(make), sequences(make)]);
  expect(await stored(byFunction)).toEqual(await stored(byStatement));
});

const sequences = (make: (streamerId: string) => NewDonation[]): number[] => make("").map((_, index) => index + 1);

test("a repeated idempotency key is recorded once, also when its donation is erased", async () => {
  const streamerId = await newStreamer(knex);
  const keyed = () => [someDonation(streamerId, { idempotencyKey: "k" })];
  expect(await insertBatch(onNode, keyed(), false)).toHaveLength(1);
  expect(await insertBatch(onNode, keyed(), false)).toEqual([]);
  await knex.raw(
    `update donations set idempotency_key = null,
       erased_key = hash_of_key((select secret from erased_key_secret), application_id, idempotency_key) where streamer_id = ?`,
    [streamerId],
  );
  await knex("streamers").where("id", streamerId).update({ has_erasures: true });
  expect(await insertBatch(onNode, keyed(), false)).toEqual([]);
  expect(await findRecorded(onNode, keyed())).toMatchObject([{ askedKey: "k" }]);
});

test("a fenced batch is not recorded", async () => {
  const batch = [someDonation(await newStreamer(knex))];
  await fenceBatch(onNode, batch);
  expect(await insertBatch(onNode, batch, false)).toEqual([]);
});

test("a chunk of an import is noted, and one of an import that was undone is refused", async () => {
  const [streamerId, importId] = [await newStreamer(knex), uuidv7()];
  await importStore(knex).start(streamerId, importId);
  const chunk = (): Promise<BatchRow[]> => insertImported(onNode, importId, [someDonation(streamerId), someDonation(streamerId)]);
  expect(await chunk()).toHaveLength(2);
  expect(await importStore(knex).ranges(streamerId, importId, 0)).toEqual([{ first: 1, last: 2 }]);
  await importStore(knex).markUndone(streamerId, importId);
  await expect(chunk()).rejects.toMatchObject({ code: "import_undone" });
});

test("streamers who share a writer have one statement under way at a time, each with the donations of one of them", async () => {
  const streamers = await Promise.all(["00000000", "0000003c", "00000078"].map(newStreamerWithEnd)); // divisible by the number of writers
  const [batches, underWay]: [string[][], number[]] = [[], []];
  let now = 0;
  const writer = makeWriter({
    pool: onNode,
    log: silent,
    insert: async (donations, skipLocked) => {
      batches.push(donations.map(({ streamerId }) => streamerId));
      underWay.push(++now);
      return insertBatch(onNode, donations, skipLocked).finally(() => (now -= 1));
    },
  });
  const sent = [...streamers, ...streamers].map((streamerId) => writer.record(someDonation(streamerId)));
  expect((await Promise.all(sent)).map(({ created }) => created)).toEqual(sent.map(() => true));
  expect(batches.map((batch) => new Set(batch).size)).toEqual(batches.map(() => 1));
  expect(batches.flat().sort()).toEqual([...streamers, ...streamers].sort());
  expect(Math.max(...underWay)).toBe(1);
});

async function newStreamerWithEnd(end: string): Promise<string> {
  const id = `${uuidv7().slice(0, -8)}${end}`;
  await knex("streamers").insert({ id });
  return id;
}

test("a locked streamer delays no other of the same node for longer than the lock time-out", async () => {
  const [locked, free] = [await newStreamer(knex), await newStreamer(knex)];
  const writer = makeWriter({ pool: onNode, log: silent });
  let late: Promise<unknown> = Promise.resolve();
  await knex.transaction(async (transaction) => {
    await transaction("streamers").where("id", locked).forUpdate();
    late = writer.record(someDonation(locked));
    expect(await writer.record(someDonation(free))).toMatchObject({ created: true });
  });
  expect(await late).toMatchObject({ created: true });
});

/** Without ids and times, which differ between two batches. */
async function stored(streamerId: string): Promise<unknown> {
  const { rows } = await knex.raw(
    `select d.sequence, d.amount, d.message, d.skip_alert, case when d.created_offset is not null then d.created_at end as created_at,
       d.created_at = d.received_at as is_received, a.status, a.sequence as alert_sequence, a.received_at = d.received_at as is_same,
       s.last_sequence, s.last_received_at = d.received_at as is_last
     from donations d join streamers s on s.id = d.streamer_id left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id
     where d.streamer_id = ? order by d.sequence`,
    [streamerId],
  );
  return rows;
}
