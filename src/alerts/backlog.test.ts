import { afterAll, beforeAll, expect, test } from "vitest";
import { saveSettings, setPaused } from "./queue/controls.ts";
import { readQueue } from "./queue/read-queue.ts";
import { connectPage, type OverlayFixture, openOverlayFixture } from "./testing.ts";

let fixture: OverlayFixture;

beforeAll(async () => {
  fixture = await openOverlayFixture();
});
afterAll(() => fixture.close());

const minute = 60_000;

/** A streamer for whom three alerts came while no player was connected, and who wants to be asked. */
async function withBacklog(): Promise<{ streamerId: string; first: string }> {
  const streamerId = await fixture.newStreamer();
  await saveSettings(fixture.knex, streamerId, { askFrom: 3 });
  const first = await fixture.donate(streamerId);
  for (let i = 0; i < 2; i += 1) await fixture.donate(streamerId);
  return { streamerId, first };
}

const queueOf = (streamerId: string) => readQueue(fixture.knex, streamerId);

test("a question about waiting alerts outlasts the process that asked it, and is answered by another one", async () => {
  const { streamerId, first } = await withBacklog();
  const pool = fixture.newPool();
  const killed = fixture.newHub({ knex: pool });
  await (await connectPage({ knex: pool, hub: killed, streamerId })).nextOf("snapshot");
  await pool.destroy();
  await fixture.age(streamerId, 20_000);
  const hub = fixture.newHub();
  const page = await connectPage({ knex: fixture.knex, hub, streamerId, player: "other" });
  expect(await page.nextOf("snapshot")).toMatchObject({ role: "player", paused: true, playback: null });
  expect(await queueOf(streamerId)).toMatchObject({ asking: true, paused: true, waitingCount: 3 });
  await setPaused(fixture.knex, streamerId, false);
  hub.changed(streamerId);
  expect((await page.nextOf("playback")).donationId).toBe(first);
  expect(await queueOf(streamerId)).toMatchObject({ asking: false, paused: false });
});

test("pages that connect to two processes at the same moment start none of the alerts that are asked about", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { streamerId } = await withBacklog();
    const pages = await Promise.all(
      [0, 1].map((n) => connectPage({ knex: fixture.knex, hub: fixture.newHub(), streamerId, player: `p${n}` })),
    );
    for (const page of pages) expect(await page.nextOf("snapshot")).toMatchObject({ paused: true, playback: null });
    expect(await queueOf(streamerId)).toMatchObject({ asking: true, playing: null, waitingCount: 3 });
  }
});

test("alerts that have expired ask nothing, and a question about alerts that have expired since ends when a player comes", async () => {
  const { streamerId } = await withBacklog();
  const hub = fixture.newHub();
  const page = await connectPage({ knex: fixture.knex, hub, streamerId });
  expect((await queueOf(streamerId)).asking).toBe(true);
  page.disconnect();
  await expect.poll(async () => (await queueOf(streamerId)).connected).toBe(false);
  await fixture.age(streamerId, 11 * minute);
  const late = await fixture.donate(streamerId);
  const back = await connectPage({ knex: fixture.knex, hub, streamerId });
  expect((await back.nextOf("snapshot")).playback?.donationId).toBe(late);
  expect(await queueOf(streamerId)).toMatchObject({ asking: false, paused: false });

  const old = await withBacklog();
  await fixture.age(old.streamerId, 11 * minute);
  await (await connectPage({ knex: fixture.knex, hub, streamerId: old.streamerId })).nextOf("snapshot");
  expect(await queueOf(old.streamerId)).toMatchObject({ asking: false, paused: false });
});

test("a queue that the streamer has paused stays so without a question, however many alerts came", async () => {
  const { streamerId } = await withBacklog();
  await setPaused(fixture.knex, streamerId, true);
  await (await connectPage({ knex: fixture.knex, hub: fixture.newHub(), streamerId })).nextOf("snapshot");
  expect(await queueOf(streamerId)).toMatchObject({ asking: false, paused: true });
});
