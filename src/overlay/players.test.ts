import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Hub, mostConnections } from "./hub.ts";
import { settleAbandoned } from "./store/abandoned.ts";
import { readQueue } from "./store/queue.ts";
import { openWorld, type Page, type Visit, visit, type World } from "./testing.ts";
import { usualTimes } from "./timeouts.ts";

let world: World;
let hub: Hub;
let streamerId: string;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const come = (more: Partial<Visit> = {}) => visit({ knex: world.knex, hub, streamerId, ...more });

async function begin(): Promise<Page> {
  hub = world.newHub();
  streamerId = await world.newStreamer();
  const page = await come();
  await page.nextOf("snapshot");
  return page;
}

async function donate(): Promise<string> {
  const id = await world.donate(streamerId);
  hub.changed(streamerId);
  return id;
}

/** A page that shows a donation's alert. */
async function inMidPlay(): Promise<{ page: Page; id: string }> {
  const page = await begin();
  await donate();
  const { id } = await page.nextOf("playback");
  await page.started(id);
  return { page, id };
}

/** Goes away, and the queue has noticed. */
async function leave(page: Page): Promise<void> {
  page.leave();
  await expect.poll(async () => (await readQueue(world.knex, streamerId)).connected).toBe(false);
}

async function pass(ms: number): Promise<void> {
  await world.age(streamerId, ms);
  hub.changed(streamerId);
}

const sweep = () => settleAbandoned({ knex: world.knex, times: usualTimes, speaks: false });

describe("the player goes before the start", () => {
  test("the alert waits again, and the next player gets it", async () => {
    const page = await begin();
    const donationId = await donate();
    const { id } = await page.nextOf("playback");
    await leave(page);
    await expect.poll(() => world.states(streamerId)).toEqual(["queued"]);
    expect(await world.alertOf(donationId)).toMatchObject({ status: "queued" });
    const other = await come({ player: "q" });
    expect((await other.nextOf("snapshot")).playback).toMatchObject({ id, donationId });
    expect(await page.started(id)).toBe("conflict");
    expect(await other.started(id)).toMatchObject({ status: "playing" });
  });

  test("a start that is heard of while nobody else has got anything counts", async () => {
    const page = await begin();
    await donate();
    const { id } = await page.nextOf("playback");
    await leave(page);
    expect(await page.started(id)).toMatchObject({ status: "playing" });
  });

  test("a page that is playing it goes on, the end counts, and nothing is played twice", async () => {
    const page = await begin();
    const [, second] = [await donate(), await donate()];
    const { id } = await page.nextOf("playback");
    await leave(page);
    const again = await come({ playing: id });
    expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
    expect(await again.ended(id)).toMatchObject({ status: "shown" });
    expect((await again.nextOf("playback")).donationId).toBe(second);
  });

  test("ten lost players are enough", async () => {
    hub = world.newHub();
    streamerId = await world.newStreamer();
    const [first, second] = [await donate(), await donate()];
    for (let i = 0; i < 10; i += 1) {
      const page = await come();
      expect((await page.nextOf("snapshot")).playback?.donationId).toBe(first);
      await leave(page);
    }
    expect(await world.alertOf(first)).toMatchObject({ status: "unconfirmed", shown: false });
    expect((await (await come()).nextOf("snapshot")).playback?.donationId).toBe(second);
  });
});

describe("the player goes in mid-play", () => {
  test("the same player comes back within ten seconds: the same playback, from the beginning", async () => {
    const { page, id } = await inMidPlay();
    await leave(page);
    await pass(5_000);
    const again = await come();
    expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
    expect(await again.started(id)).toMatchObject({ status: "playing", changed: true });
    await pass(30_000);
    expect(await again.ended(id)).toMatchObject({ status: "shown" });
  });

  test("it must begin again within ten seconds, else it is unconfirmed", async () => {
    const { page, id } = await inMidPlay();
    await leave(page);
    const again = await come();
    await again.nextOf("snapshot");
    await pass(5_000);
    expect(await world.states(streamerId)).toEqual(["playing"]);
    await pass(5_100);
    await again.closed;
    expect(await world.states(streamerId)).toEqual(["unconfirmed"]);
    expect(await again.ended(id)).toBe("conflict");
  });

  test("it says that it is still playing: it goes on, with the time that it was allowed", async () => {
    const { page, id } = await inMidPlay();
    await leave(page);
    const again = await come({ playing: id });
    expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
    await pass(50_000);
    expect(await world.states(streamerId)).toEqual(["playing"]);
    expect(await again.ended(id)).toMatchObject({ status: "shown" });
  });

  test("its end is taken while it is away", async () => {
    const { page, id } = await inMidPlay();
    const next = await donate();
    await leave(page);
    expect(await page.ended(id)).toMatchObject({ status: "shown" });
    expect((await (await come()).nextOf("snapshot")).playback?.donationId).toBe(next);
  });

  test("another player waits ten seconds, in which nothing plays; then it is unconfirmed, for ever", async () => {
    const { page, id } = await inMidPlay();
    const next = await donate();
    await leave(page);
    const other = await come({ player: "q" });
    expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby", playback: null });
    await pass(5_000);
    expect((await world.states(streamerId))[0]).toBe("playing");
    await pass(5_100);
    expect(await other.nextOf("role")).toEqual({ role: "player" });
    expect((await other.nextOf("playback")).donationId).toBe(next);
    expect(await page.ended(id)).toBe("conflict");
    expect((await readQueue(world.knex, streamerId)).playing?.donationId).toBe(next);
  });

  test("nobody comes: any process ends it after ten seconds", async () => {
    const { page } = await inMidPlay();
    await leave(page);
    await sweep();
    expect(await world.states(streamerId)).toEqual(["playing"]);
    await world.age(streamerId, 10_100);
    expect(await sweep()).toContain(streamerId);
    expect(await world.states(streamerId)).toEqual(["unconfirmed"]);
  });
});

describe("the player does not answer", () => {
  test("a start that is not acknowledged within ten seconds ends the connection; the third time the alert is given up", async () => {
    hub = world.newHub();
    streamerId = await world.newStreamer();
    const [first, second] = [await donate(), await donate()];
    for (let i = 0; i < 3; i += 1) {
      const page = await come();
      expect((await page.nextOf("snapshot")).playback?.donationId).toBe(first);
      await pass(10_100);
      await page.closed;
      expect(await world.states(streamerId)).toEqual([i < 2 ? "queued" : "unconfirmed", "queued"]);
    }
    expect((await (await come()).nextOf("snapshot")).playback?.donationId).toBe(second);
  });

  test("a page that is dead without anybody knowing loses no alert: it waits for the next one", async () => {
    const dead = await begin();
    const donationId = await donate();
    await dead.nextOf("playback");
    await pass(10_100);
    await dead.closed;
    await pass(300_000);
    expect((await (await come()).nextOf("snapshot")).playback?.donationId).toBe(donationId);
  });

  test("what plays for longer than it may is unconfirmed, and the next one follows", async () => {
    const { page, id } = await inMidPlay();
    const next = await donate();
    await pass(50_000);
    expect((await world.states(streamerId))[0]).toBe("playing");
    await pass(10_100);
    expect(await page.nextOf("stop")).toEqual({ playbackId: id });
    expect((await page.nextOf("playback")).donationId).toBe(next);
    expect((await world.states(streamerId))[0]).toBe("unconfirmed");
  });
});

describe("several connections", () => {
  test("a second browser stands by, and takes over when the first goes", async () => {
    const page = await begin();
    const other = await come({ player: "q" });
    expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby" });
    page.leave();
    expect(await other.nextOf("role")).toEqual({ role: "player" });
    const donationId = await donate();
    expect((await other.nextOf("playback")).donationId).toBe(donationId);
  });

  test("the same browser once more takes over at once; the older connection stops and stands by", async () => {
    const { page, id } = await inMidPlay();
    const newer = await come();
    expect(await newer.nextOf("snapshot")).toMatchObject({ role: "player", playback: { id } });
    expect(await page.nextOf("stop")).toEqual({ playbackId: id });
    expect(await page.nextOf("role")).toEqual({ role: "standby" });
    newer.leave();
    expect(await page.nextOf("role")).toEqual({ role: "player" });
    expect(await page.nextOf("playback")).toMatchObject({ id });
  });

  test("who only listens never plays, whatever its name", async () => {
    const { page, id } = await inMidPlay();
    await leave(page);
    const listener = await come({ plays: false });
    expect(await listener.nextOf("snapshot")).toMatchObject({ role: "listener", playback: null });
    await world.age(streamerId, 10_100);
    await sweep();
    expect(await page.ended(id)).toBe("conflict");
    expect(await world.states(streamerId)).toEqual(["unconfirmed"]);
  });

  test("eight at once: one plays", async () => {
    await begin();
    const others = await Promise.all(Array.from({ length: 7 }, (_, i) => come({ player: `q${i}` })));
    for (const other of others) expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby" });
  });

  test("a crowd with one key finds an end, others come in, and there is room again when some have gone", async () => {
    const page = await begin();
    const crowd = await Promise.allSettled(Array.from({ length: mostConnections + 5 }, (_, i) => come({ player: `q${i}` })));
    const refused = crowd.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(6);
    expect(refused[0]).toMatchObject({ reason: { code: "rate_limited", extras: { headers: { "Retry-After": "15" } } } });
    await visit({ knex: world.knex, hub, streamerId: await world.newStreamer() });
    page.leave();
    await expect.poll(() => hub.connected()).toBe(mostConnections);
    await come({ player: "late" });
  });
});

describe("processes", () => {
  test("a process dies without a word: its player's lease ends by itself, and another process goes on", async () => {
    const { id } = await inMidPlay();
    const next = await donate();
    hub = world.newHub(); // the other one has no timers: it renews nothing, as if it were dead
    const other = await come({ player: "q" });
    expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby" });
    await pass(8_100);
    expect((await readQueue(world.knex, streamerId)).playing?.playbackId).toBe(id);
    await pass(10_100);
    expect(await other.nextOf("role")).toEqual({ role: "player" });
    expect((await other.nextOf("playback")).donationId).toBe(next);
  });

  test("a process leaves: its streams end, its leases with them, and the same player goes on elsewhere", async () => {
    const { page, id } = await inMidPlay();
    hub.leave();
    await page.closed;
    await hub.close();
    expect(await readQueue(world.knex, streamerId)).toMatchObject({ connected: false });
    hub = world.newHub();
    const again = await come({ playing: id });
    expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
    expect(await again.ended(id)).toMatchObject({ status: "shown" });
  });

  test("whoever went while a step was under way, just before the process left, holds no lease either", async () => {
    const page = await begin();
    const locked = await world.knex.transaction(); // the step waits
    await locked.raw("select from overlays where streamer_id = ? for update", [streamerId]);
    hub.changed(streamerId);
    page.leave();
    await page.closed;
    hub.leave();
    await locked.rollback();
    await hub.close();
    expect(await readQueue(world.knex, streamerId)).toMatchObject({ connected: false });
  });

  test("a leaving process takes no one in", async () => {
    await begin();
    hub.leave();
    await expect(come()).rejects.toThrow("stopping");
  });

  test("leases are renewed, and a database that was away for a while costs no playback", async () => {
    hub = world.newHub({ times: { renew: 20 } });
    streamerId = await world.newStreamer();
    const page = await come();
    await page.nextOf("snapshot");
    await donate();
    const { id } = await page.nextOf("playback");
    await page.started(id);
    await world.age(streamerId, 9_000);
    await expect.poll(async () => (await readQueue(world.knex, streamerId)).connected).toBe(true);
    hub.changed(streamerId);
    expect(await page.ended(id)).toMatchObject({ status: "shown" });
    expect(page.events.filter(({ event }) => event === "playback")).toHaveLength(1);
  });

  test("what another process changes is found by the poll alone", async () => {
    hub = world.newHub({ times: { poll: 20 } });
    streamerId = await world.newStreamer();
    const page = await come();
    await page.nextOf("snapshot");
    const donationId = await world.donate(streamerId);
    expect((await page.nextOf("playback")).donationId).toBe(donationId);
  });
});
