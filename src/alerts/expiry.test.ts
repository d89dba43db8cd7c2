import { uuidv7 } from "uuidv7";
import { expect, test } from "vitest";
import type { Hub } from "./connections/hub.ts";
import { settleAbandoned } from "./queue/advance.ts";
import { setPaused } from "./queue/controls.ts";
import { endAbsence, expireAlerts } from "./queue/expiry.ts";
import { withOverlay } from "./queue/overlay.ts";
import { readQueue } from "./queue/read-queue.ts";
import { connectPage, type Page, useOverlayFixture } from "./testing.ts";

const minute = 60_000;
const fixture = useOverlayFixture();
let hub: Hub;
let streamerId: string;

async function startHub(): Promise<void> {
  hub = fixture.newHub();
  streamerId = await fixture.newStreamer();
}

const connect = () => connectPage({ knex: fixture.knex, hub, streamerId });

/** Time without a connected player. */
const passDisconnected = (minutes: number) => fixture.age(streamerId, minutes * minute);

/** Time with a connected player, whose lease is renewed all the while. */
async function passConnected(minutes: number): Promise<void> {
  await fixture.age(streamerId, minutes * minute);
  await fixture
    .knex("overlays")
    .where("streamer_id", streamerId)
    .update({ player_until: fixture.knex.raw("now() + interval '8 seconds'") });
}

async function disconnect(page: Page): Promise<void> {
  page.disconnect();
  await expect.poll(async () => (await readQueue(fixture.knex, streamerId)).connected).toBe(false);
}

const deps = () => fixture.stepDeps;

async function sweep(): Promise<void> {
  await settleAbandoned(deps(), () => {});
  let next: string | null = null;
  do ({ next } = await expireAlerts(deps(), next));
  while (next !== null);
}

const statusOf = async (donationId: string) => (await fixture.alertOf(donationId))?.status;

test("an alert for which no player connects within ten minutes expires", async () => {
  await startHub();
  const donationId = await fixture.donate(streamerId);
  await passDisconnected(9.9);
  await sweep();
  expect(await statusOf(donationId)).toBe("queued");
  await passDisconnected(0.2);
  await sweep();
  expect(await fixture.alertOf(donationId)).toEqual({ status: "expired", reason: null, shown: false });
});

test("a page that connects after ten minutes gets younger alerts only, even before a sweep", async () => {
  await startHub();
  const old = await fixture.donate(streamerId);
  await passDisconnected(10.1);
  const young = await fixture.donate(streamerId);
  const { playback } = await (await connect()).nextOf("snapshot");
  expect(playback?.donationId).toBe(young);
  expect(await statusOf(old)).toBe("expired");
});

test("time with a connected player does not count towards the expiry of an alert, even while the queue is paused", async () => {
  await startHub();
  await setPaused(fixture.knex, streamerId, true);
  const page = await connect();
  await page.nextOf("snapshot");
  const donationId = await fixture.donate(streamerId);
  hub.changed(streamerId);
  await expect.poll(() => fixture.states(streamerId)).toEqual(["queued"]);
  await passConnected(60);
  await sweep();
  expect(await statusOf(donationId)).toBe("queued");
  await setPaused(fixture.knex, streamerId, false);
  hub.changed(streamerId);
  expect((await page.nextOf("playback")).donationId).toBe(donationId);
});

test.each([
  [4, "leased"],
  [6, "expired"],
])("an alert with twice %d minutes without a player, and an hour with one between, is %s", async (minutes, status) => {
  await startHub();
  await setPaused(fixture.knex, streamerId, true);
  const donationId = await fixture.donate(streamerId);
  await passDisconnected(minutes);
  const page = await connect();
  await page.nextOf("snapshot");
  await passConnected(60);
  await disconnect(page);
  await passDisconnected(minutes);
  await setPaused(fixture.knex, streamerId, false);
  await (await connect()).nextOf("snapshot");
  expect(await statusOf(donationId)).toBe(status);
});

test("an old queue whose alerts do not expire, because a player was there, is not locked by sweeps", async () => {
  await startHub();
  await setPaused(fixture.knex, streamerId, true);
  const page = await connect();
  await page.nextOf("snapshot");
  for (let i = 0; i < 5; i += 1) await fixture.donate(streamerId); // more than get a playback
  hub.changed(streamerId);
  await expect.poll(() => fixture.states(streamerId)).not.toEqual([]);
  await passConnected(60);
  const swept: string[] = [];
  const note = ({ sql, bindings }: { sql: string; bindings?: unknown[] }) => {
    if (sql.includes("for update") && bindings?.includes(streamerId)) swept.push(sql);
  };
  fixture.knex.on("query", note);
  await sweep();
  fixture.knex.off("query", note);
  expect(swept).toEqual([]);
});

test("alerts that have playbacks expire as well, by a sweep of any process", async () => {
  await startHub();
  const page = await connect();
  await page.nextOf("snapshot");
  const donations = [await fixture.donate(streamerId), await fixture.donate(streamerId)];
  hub.changed(streamerId);
  await page.nextOf("playback");
  await disconnect(page);
  await passDisconnected(10.1);
  await sweep();
  expect(await Promise.all(donations.map(statusOf))).toEqual(["expired", "expired"]);
  expect(await fixture.states(streamerId)).toEqual(["expired", "expired"]);
});

test("absences that are older than every waiting alert are deleted", async () => {
  await startHub();
  for (let i = 0; i < 5; i += 1) {
    const page = await connect();
    await page.nextOf("snapshot");
    await disconnect(page);
    await passDisconnected(1);
  }
  expect(await fixture.knex("overlay_absences").where("streamer_id", streamerId)).toHaveLength(1);
});

test.each([
  [999, 0],
  [1_000, 1],
])("an absence of %d ms is stored %d times, so that a page that connects again and again leaves few rows", async (ms, stored) => {
  const id = await fixture.newStreamer();
  await withOverlay(fixture.knex, id, (trx, overlay) =>
    endAbsence(trx, { ...overlay, lease: { playerId: "p", connectionId: null, until: overlay.now - ms, rank: 0 } }),
  );
  expect(await fixture.knex("overlay_absences").where("streamer_id", id)).toHaveLength(stored);
});

test("sweeps cover all streamers in bounded steps", async () => {
  const ids = Array.from({ length: 450 }, () => uuidv7());
  const { knex } = fixture;
  await knex("streamers").insert(ids.map((id) => ({ id })));
  await knex("alerts").insert(
    ids.map((id) => ({ streamer_id: id, donation_id: uuidv7(), sequence: 1, received_at: knex.raw("now() - interval '1 hour'") })),
  );
  const steps = [];
  let next: string | null = null;
  do {
    ({ next } = await expireAlerts(deps(), next));
    steps.push(next);
  } while (next !== null);
  expect(steps.length).toBeGreaterThanOrEqual(3);
  expect(await knex("alerts").whereIn("streamer_id", ids).whereNot("status", "expired")).toEqual([]);
});

test.each([
  { statistics: "as they are", analyze: "" },
  { statistics: "taken before the queue grew", analyze: "analyze alerts" },
])(
  "a long queue is expired in batches of 500, each followed by the next at once; statistics of PostgreSQL: $statistics",
  async ({ analyze }) => {
    const { knex } = fixture;
    if (analyze) await knex.raw(analyze);
    const streamer = await fixture.newStreamer();
    await knex.raw(
      `insert into alerts (streamer_id, donation_id, sequence, received_at)
     select ?, gen_random_uuid(), n, now() - interval '1 hour' from generate_series(1, 1200) n`,
      [streamer],
    );
    const left = [];
    let round: { next: string | null; full: boolean } = { next: null, full: true };
    while (round.full || round.next !== null) {
      round = await expireAlerts(deps(), round.next);
      left.push((await knex("alerts").where({ streamer_id: streamer, status: "queued" })).length);
    }
    expect(left).toEqual([700, 200, 0]);
  },
);
