import { expect, test } from "vitest";
import { insertBatch } from "../../donations/record/batch.ts";
import { someDonation } from "../../donations/testing.ts";
import { useOverlayFixture } from "../testing.ts";
import { clearWaiting, setPaused } from "./controls.ts";
import { readQueue } from "./read-queue.ts";

const fixture = useOverlayFixture();

const count = 1_200;

/** A paused streamer with alerts that have no playback, numbered from 1. */
async function newQueue(): Promise<string> {
  const streamerId = await fixture.newStreamer();
  await setPaused(fixture.knex, streamerId, true);
  await fixture.knex.raw(
    `insert into alerts (streamer_id, donation_id, sequence, received_at)
     select ?, gen_random_uuid(), n, now() from generate_series(1, ${count}) n`,
    [streamerId],
  );
  await fixture.knex("streamers").where("id", streamerId).update({ last_sequence: count });
  return streamerId;
}

/** Runs this PL/pgSQL as soon as the alert with the number 600 is skipped. Resolves to a function that ends it. */
async function whenSkipped(streamerId: string, statements: string): Promise<() => Promise<unknown>> {
  const { knex } = fixture;
  await knex.raw(`create function on_skip() returns trigger language plpgsql as $$ begin ${statements} return null; end $$`);
  await knex.raw(
    `create trigger on_skip after update on alerts for each row
     when (new.streamer_id = '${streamerId}' and new.sequence = 600 and new.status = 'skipped') execute function on_skip()`,
  );
  return () => knex.raw("drop function on_skip cascade");
}

async function statusesOf(streamerId: string): Promise<Record<string, number>> {
  const rows: { status: string; count: number }[] = await fixture
    .knex("alerts")
    .where("streamer_id", streamerId)
    .groupBy("status")
    .select("status")
    .count();
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}

/** How many transactions have written what the table has of the streamer now. */
async function transactionsOf(streamerId: string, table: "alerts" | "playbacks"): Promise<number> {
  const { rows } = await fixture.knex.raw(`select count(distinct xmin::text) as count from ${table} where streamer_id = ?`, [streamerId]);
  return rows[0].count;
}

const clearings = (streamerId: string) => fixture.knex("audit_log").where("chain", streamerId).whereLike("entry", "%alerts.cleared%");

test("a long queue is cleared in transactions of at most 500 alerts, so that none holds the queue for long", async () => {
  const streamerId = await newQueue();
  let turns = 0;
  await clearWaiting(fixture.knex, streamerId, (batch) => {
    turns += 1;
    return batch();
  });
  expect(await statusesOf(streamerId)).toEqual({ skipped: count });
  expect([await transactionsOf(streamerId, "alerts"), turns]).toEqual([3, 3]);
  expect(await fixture.knex("events").where("streamer_id", streamerId)).toHaveLength(count);
  expect(await clearings(streamerId)).toHaveLength(1);
});

test("many held alerts are cleared in transactions of at most 500", async () => {
  const streamerId = await fixture.newStreamer();
  const { knex } = fixture;
  await setPaused(knex, streamerId, true);
  const donations = Array.from({ length: 501 }, () => someDonation(streamerId));
  await insertBatch(knex, donations, false);
  await knex.raw(
    `insert into held_alerts (streamer_id, donation_id, sequence, held_at, decide_at)
     select streamer_id, donation_id, sequence, now(), now() from alerts where streamer_id = ?`,
    [streamerId],
  );
  await knex("alerts").where("streamer_id", streamerId).update({ status: "held" });
  await clearWaiting(knex, streamerId);
  expect(await statusesOf(streamerId)).toEqual({ skipped: 501 });
  expect(await transactionsOf(streamerId, "alerts")).toBe(2);
  expect(await readQueue(knex, streamerId)).toMatchObject({ held: [], heldCount: 0 });
});

test("many waiting playbacks are cleared in transactions of at most 500", async () => {
  const streamerId = await newQueue();
  const { knex } = fixture;
  await knex.raw(
    `insert into playbacks (id, streamer_id, donation_id, number, replay, sequence, state, waits_since, approved, masked)
     select gen_random_uuid(), streamer_id, donation_id, 1, sequence % 2 = 0, sequence, 'queued', now(), false, false
     from alerts where streamer_id = ?`,
    [streamerId],
  );
  await clearWaiting(knex, streamerId);
  expect(await knex("playbacks").where("streamer_id", streamerId).distinct("state").pluck("state")).toEqual(["skipped"]);
  expect(await statusesOf(streamerId)).toEqual({ skipped: count });
  expect(await transactionsOf(streamerId, "playbacks")).toBe(3);
});

test("an alert that arrives while a long queue is cleared is kept", async () => {
  const streamerId = await newQueue();
  const end = await whenSkipped(
    streamerId,
    `insert into alerts (streamer_id, donation_id, sequence, received_at)
     select id, gen_random_uuid(), last_sequence + 1, now() from streamers where id = '${streamerId}';`,
  );
  await clearWaiting(fixture.knex, streamerId).finally(end);
  expect(await statusesOf(streamerId)).toEqual({ skipped: count, queued: 1 });
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ waitingCount: 1 });
});

test("clearing that fails between two batches leaves the rest waiting, and the next call clears it", async () => {
  const streamerId = await newQueue();
  const { knex } = fixture;
  const end = await whenSkipped(streamerId, "raise exception 'the database fails';");
  await expect(clearWaiting(knex, streamerId).finally(end)).rejects.toThrow("the database fails");
  expect(await statusesOf(streamerId)).toEqual({ skipped: 500, queued: count - 500 });
  expect(await readQueue(knex, streamerId)).toMatchObject({ waitingCount: count - 500 });
  expect(await clearings(streamerId), "the audit log says who began").toHaveLength(1);
  await clearWaiting(knex, streamerId);
  expect(await statusesOf(streamerId)).toEqual({ skipped: count });
});
