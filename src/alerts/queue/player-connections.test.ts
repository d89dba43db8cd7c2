import { expect, test } from "vitest";
import { maxConnections } from "../connections/hub.ts";
import { connectPage } from "../testing.ts";
import {
  connect,
  disconnect,
  donate,
  passTime,
  startHub,
  startPlaying,
  startWithPage,
  sweep,
  usePlayerScenario,
} from "../testing-players.ts";
import { readQueue } from "./read-queue.ts";

const scenario = usePlayerScenario();

test("a second browser stands by, and takes over when the first one disconnects", async () => {
  const page = await startWithPage(scenario);
  const other = await connect(scenario, { player: "q" });
  expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby" });
  page.disconnect();
  expect(await other.nextOf("role")).toEqual({ role: "player" });
  const donationId = await donate(scenario);
  expect((await other.nextOf("playback")).donationId).toBe(donationId);
});

test("a newer connection of the same browser takes over at once; the older one stands by, and leads again when the newer one closes", async () => {
  const { page, id } = await startPlaying(scenario);
  const newer = await connect(scenario);
  expect(await newer.nextOf("snapshot")).toMatchObject({ role: "player", playback: { id, elapsedMs: null } });
  expect(await page.nextOf("role")).toEqual({ role: "standby" });
  expect(await page.nextOf("playback")).toMatchObject({ id, elapsedMs: null });
  newer.disconnect();
  expect(await page.nextOf("role")).toEqual({ role: "player" });
});

test("a connection that only listens never plays, even with the player id of the player", async () => {
  const { page, id } = await startPlaying(scenario);
  await disconnect(scenario, page);
  const listener = await connect(scenario, { plays: false });
  expect(await listener.nextOf("snapshot")).toMatchObject({ role: "listener", playback: null });
  await scenario.fixture.age(scenario.streamerId, 10_100);
  await sweep(scenario);
  expect(await page.ended(id)).toBe("conflict");
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["unconfirmed"]);
});

test("exactly one of eight browsers that connect at once plays", async () => {
  await startWithPage(scenario);
  const others = await Promise.all(Array.from({ length: 7 }, (_, i) => connect(scenario, { player: `q${i}` })));
  for (const other of others) expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby" });
});

test("connections of one streamer beyond the maximum are refused with rate_limited, until others have closed; other streamers can connect", async () => {
  const page = await startWithPage(scenario);
  const crowd = await Promise.allSettled(Array.from({ length: maxConnections + 5 }, (_, i) => connect(scenario, { player: `q${i}` })));
  const refused = crowd.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(6);
  expect(refused[0]).toMatchObject({ reason: { code: "rate_limited", extras: { headers: { "Retry-After": "15" } } } });
  await connectPage({ knex: scenario.fixture.knex, hub: scenario.hub, streamerId: await scenario.fixture.newStreamer() });
  page.disconnect();
  await expect.poll(() => scenario.hub.connected()).toBe(maxConnections);
  await connect(scenario, { player: "late" });
});

test("when a process is killed, its player's lease ends by itself, and a player of another process takes over", async () => {
  const { id } = await startPlaying(scenario);
  const next = await donate(scenario);
  scenario.hub = scenario.fixture.newHub(); // the other one has no timers: it renews nothing, as if it were dead
  const other = await connect(scenario, { player: "q" });
  expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby", playback: { id } });
  await passTime(scenario, 8_100);
  expect(await other.nextOf("role")).toEqual({ role: "player" });
  expect((await readQueue(scenario.fixture.knex, scenario.streamerId)).playing?.playbackId).toBe(id);
  expect(await other.ended(id)).toMatchObject({ status: "shown", changed: true });
  expect((await other.nextOf("playback")).donationId).toBe(next);
});

test("a process that stops ends its streams and releases their leases, and the same player continues at another process", async () => {
  const { page, id } = await startPlaying(scenario);
  scenario.hub.leave();
  await page.closed;
  await scenario.hub.close();
  expect(await readQueue(scenario.fixture.knex, scenario.streamerId)).toMatchObject({ connected: false });
  scenario.hub = scenario.fixture.newHub();
  const again = await connect(scenario, { playing: id });
  expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
  expect(await again.ended(id)).toMatchObject({ status: "shown" });
});

test("a player that disconnected during a step, just before the process stops, does not keep its lease", async () => {
  const page = await startWithPage(scenario);
  const locked = await scenario.fixture.knex.transaction(); // the step waits
  await locked.raw("select from overlays where streamer_id = ? for update", [scenario.streamerId]);
  scenario.hub.changed(scenario.streamerId);
  page.disconnect();
  await page.closed;
  scenario.hub.leave();
  await locked.rollback();
  await scenario.hub.close();
  expect(await readQueue(scenario.fixture.knex, scenario.streamerId)).toMatchObject({ connected: false });
});

test("a process that is stopping refuses new connections", async () => {
  await startWithPage(scenario);
  scenario.hub.leave();
  await expect(connect(scenario)).rejects.toThrow("stopping");
});

test("a lease is renewed while its connection is open, so that a pause of the database loses no playback", async () => {
  await startHub(scenario, { renewIntervalMs: 20 });
  const page = await connect(scenario);
  await page.nextOf("snapshot");
  await donate(scenario);
  const { id } = await page.nextOf("playback");
  await page.started(id);
  await scenario.fixture.age(scenario.streamerId, 9_000);
  await expect.poll(async () => (await readQueue(scenario.fixture.knex, scenario.streamerId)).connected).toBe(true);
  scenario.hub.changed(scenario.streamerId);
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  expect(page.events.filter(({ event }) => event === "playback")).toHaveLength(1);
});

test("a change by another process is found by the poll without a notification", async () => {
  await startHub(scenario, { pollIntervalMs: 20 });
  const page = await connect(scenario);
  await page.nextOf("snapshot");
  const donationId = await scenario.fixture.donate(scenario.streamerId);
  expect((await page.nextOf("playback")).donationId).toBe(donationId);
});
