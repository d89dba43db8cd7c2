import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hub } from "./hub.ts";
import { expireAlerts, settleAbandoned } from "./store/abandoned.ts";
import { setPaused } from "./store/controls.ts";
import { readQueue } from "./store/queue.ts";
import { openWorld, type Page, visit, type World } from "./testing.ts";
import { usualTimes } from "./timeouts.ts";

const minute = 60_000;
let world: World;
let hub: Hub;
let streamerId: string;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function begin(): Promise<void> {
  hub = world.newHub();
  streamerId = await world.newStreamer();
}

const come = () => visit({ knex: world.knex, hub, streamerId });

/** Time without a connected player. */
const away = (minutes: number) => world.age(streamerId, minutes * minute);

/** Time with a connected player, whose lease is renewed all the while. */
async function connected(minutes: number): Promise<void> {
  await world.age(streamerId, minutes * minute);
  await world
    .knex("overlays")
    .where("streamer_id", streamerId)
    .update({ player_until: world.knex.raw("now() + interval '8 seconds'") });
}

async function leave(page: Page): Promise<void> {
  page.leave();
  await expect.poll(async () => (await readQueue(world.knex, streamerId)).connected).toBe(false);
}

const parts = () => ({ knex: world.knex, times: usualTimes, speaks: false });

async function sweep(): Promise<void> {
  await settleAbandoned(parts());
  let next: string | null = null;
  do ({ next } = await expireAlerts(parts(), next));
  while (next !== null);
}

const statusOf = async (donationId: string) => (await world.alertOf(donationId))?.status;

test("an alert for which no player comes within ten minutes is expired", async () => {
  await begin();
  const donationId = await world.donate(streamerId);
  await away(9.9);
  await sweep();
  expect(await statusOf(donationId)).toBe("queued");
  await away(0.2);
  await sweep();
  expect(await world.alertOf(donationId)).toEqual({ status: "expired", reason: null, shown: false });
});

test("a page that comes after that gets the younger ones alone, swept or not", async () => {
  await begin();
  const old = await world.donate(streamerId);
  await away(10.1);
  const young = await world.donate(streamerId);
  const { playback } = await (await come()).nextOf("snapshot");
  expect(playback?.donationId).toBe(young);
  expect(await statusOf(old)).toBe("expired");
});

test("paused time with a connected player does not count", async () => {
  await begin();
  await setPaused(world.knex, streamerId, true);
  const page = await come();
  await page.nextOf("snapshot");
  const donationId = await world.donate(streamerId);
  hub.changed(streamerId);
  await expect.poll(() => world.states(streamerId)).toEqual(["queued"]);
  await connected(60);
  await sweep();
  expect(await statusOf(donationId)).toBe("queued");
  await setPaused(world.knex, streamerId, false);
  hub.changed(streamerId);
  expect((await page.nextOf("playback")).donationId).toBe(donationId);
});

test.each([
  [4, "leased"],
  [6, "expired"],
])("only the time without a player adds up: twice %d minutes, and an hour paused between, is %s", async (minutes, status) => {
  await begin();
  await setPaused(world.knex, streamerId, true);
  const donationId = await world.donate(streamerId);
  await away(minutes);
  const page = await come();
  await page.nextOf("snapshot");
  await connected(60);
  await leave(page);
  await away(minutes);
  await setPaused(world.knex, streamerId, false);
  await (await come()).nextOf("snapshot");
  expect(await statusOf(donationId)).toBe(status);
});

test("what was taken in already expires as well, by a sweep of whichever process", async () => {
  await begin();
  const page = await come();
  await page.nextOf("snapshot");
  const donations = [await world.donate(streamerId), await world.donate(streamerId)];
  hub.changed(streamerId);
  await page.nextOf("playback");
  await leave(page);
  await away(10.1);
  await sweep();
  expect(await Promise.all(donations.map(statusOf))).toEqual(["expired", "expired"]);
  expect(await world.states(streamerId)).toEqual(["expired", "expired"]);
});

test("an alert that a process of the version before has recorded is as old as its donation", async () => {
  await begin();
  const donationId = await world.donate(streamerId);
  await world.knex("alerts").where("streamer_id", streamerId).update({ received_at: null });
  await sweep();
  expect(await statusOf(donationId)).toBe("queued");
  await world
    .knex("donations")
    .where("streamer_id", streamerId)
    .update({ received_at: world.knex.raw("now() - interval '11 minutes'") });
  await sweep();
  expect(await statusOf(donationId)).toBe("expired");
});

test("absences that no waiting alert has seen are forgotten", async () => {
  await begin();
  for (let i = 0; i < 5; i += 1) {
    const page = await come();
    await page.nextOf("snapshot");
    await leave(page);
    await away(1);
  }
  expect(await world.knex("overlay_absences").where("streamer_id", streamerId)).toHaveLength(1);
});

test("a sweep goes round all streamers in bounded steps", async () => {
  const ids = Array.from({ length: 450 }, () => uuidv7());
  const { knex } = world;
  await knex("streamers").insert(ids.map((id) => ({ id, handle: id })));
  await knex("alerts").insert(
    ids.map((id) => ({ streamer_id: id, donation_id: uuidv7(), sequence: 1, received_at: knex.raw("now() - interval '1 hour'") })),
  );
  const steps = [];
  let next: string | null = null;
  do {
    ({ next } = await expireAlerts(parts(), next));
    steps.push(next);
  } while (next !== null);
  expect(steps.length).toBeGreaterThanOrEqual(3);
  expect(await knex("alerts").whereIn("streamer_id", ids).whereNot("status", "expired")).toEqual([]);
});

test("a long queue is expired in batches, each followed by the next at once", async () => {
  const streamer = await world.newStreamer();
  await world.knex.raw(
    `insert into alerts (streamer_id, donation_id, sequence, received_at)
     select ?, gen_random_uuid(), n, now() - interval '1 hour' from generate_series(1, 1200) n`,
    [streamer],
  );
  const rounds = [];
  let round: { next: string | null; full: boolean } = { next: null, full: true };
  while (round.full || round.next !== null) {
    round = await expireAlerts(parts(), round.next);
    rounds.push(round.full);
  }
  expect(rounds.filter(Boolean).length).toBe(2);
  expect(await world.knex("alerts").where("streamer_id", streamer).whereNot("status", "expired")).toEqual([]);
});
