import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { saveSettings, setPaused } from "./queue/controls.ts";
import { readQueue } from "./queue/read-queue.ts";
import { connectPage, type Page, useOverlayFixture } from "./testing.ts";
import { connect, disconnect, donate, passTime, startHub, startWithPage, usePlayerScenario } from "./testing-players.ts";

const scenario = usePlayerScenario();

const change = (settings: Parameters<typeof saveSettings>[2]) => saveSettings(scenario.fixture.knex, scenario.streamerId, settings);

async function playNext(page: Page): Promise<void> {
  const { id } = await page.nextOf("playback");
  await page.started(id);
  await page.ended(id);
}

const playbacks = (page: Page) => page.events.filter(({ event }) => event === "playback").length;

test("the next alert starts pauseSeconds after the end of the one before, and not earlier", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 3 });
  for (let i = 0; i < 2; i += 1) await donate(scenario);
  const { id } = await page.nextOf("playback");
  await page.started(id);
  const beforeEnd = performance.now();
  await page.ended(id);
  await sleep(700);
  expect(playbacks(page)).toBe(1);
  await page.nextOf("playback");
  expect(performance.now() - beforeEnd).toBeGreaterThan(2_990);
});

test("the pause before the next alert has ended when nothing was on screen for that long", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 60 });
  await donate(scenario);
  await playNext(page);
  await passTime(scenario, 60_001);
  await donate(scenario);
  await playNext(page);
});

test("a page that comes back, and a second process, keep to the pause before the next alert", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 60 });
  for (let i = 0; i < 2; i += 1) await donate(scenario);
  await playNext(page);
  await disconnect(scenario, page);
  const second = { ...scenario, hub: scenario.fixture.newHub() };
  const again = await connect(second, { player: "other" });
  expect((await again.nextOf("snapshot")).playback).toBeNull();
  await passTime(second, 30_000); // a busy machine may take some of the time that is left
  await sleep(200);
  expect(playbacks(again)).toBe(0);
  await passTime(second, 30_000);
  await again.nextOf("playback");
});

test("a clock that is set back by an hour does not keep the next alert waiting", async () => {
  const page = await startWithPage(scenario);
  await change({ pauseSeconds: 1 });
  for (let i = 0; i < 2; i += 1) await donate(scenario);
  await playNext(page);
  await passTime(scenario, -3_600_000);
  await page.nextOf("playback");
});

test("alerts are faster while fasterFrom of them wait behind, whether they have a playback or not, and are not afterwards", async () => {
  await startHub(scenario);
  await change({ fasterFrom: 5 });
  for (let i = 0; i < 7; i += 1) await donate(scenario);
  const page = await connect(scenario);
  const first = (await page.nextOf("snapshot")).playback;
  const faster: (boolean | undefined)[] = [];
  for (let next = first; faster.push(next?.faster) < 7; next = await page.nextOf("playback")) await page.ended(next?.id ?? "");
  expect(faster).toEqual([true, true, false, false, false, false, false]);
});

const fixture = useOverlayFixture();

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
