import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hub } from "./hub.ts";
import { clearWaiting, replay, saveSettings, setPaused, skipPlaying } from "./store/controls.ts";
import { readQueue } from "./store/queue.ts";
import { openWorld, type Page, visit, type World } from "./testing.ts";

let world: World;
let hub: Hub;
let streamerId: string;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A hub, a new streamer and a page that plays. */
async function begin(parts: Parameters<World["newHub"]>[0] = {}): Promise<Page> {
  hub = world.newHub(parts);
  streamerId = await world.newStreamer();
  return come();
}

const come = (player = "p") => visit({ knex: world.knex, hub, streamerId, player });

async function donate(donation = {}): Promise<string> {
  const id = await world.donate(streamerId, donation);
  hub.changed(streamerId);
  return id;
}

/** Plays what comes next to its end; answers the donation. */
async function play(page: Page): Promise<string> {
  const { id, donationId } = await page.nextOf("playback");
  expect(await page.started(id)).toMatchObject({ status: "playing" });
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  return donationId;
}

async function control<T>(done: Promise<T>): Promise<T> {
  const answer = await done;
  hub.changed(streamerId);
  return answer;
}

test("a donation is played, and its record follows: leased, playing, shown", async () => {
  const page = await begin();
  expect(await page.next()).toMatchObject({ event: "snapshot", data: { role: "player", paused: false, playback: null } });
  const donationId = await donate({ donatorName: "สมชาย", amount: 123.45, message: "สู้ๆ" });
  const playback = await page.nextOf("playback");
  expect(playback).toEqual({
    id: playback.id,
    donationId,
    donatorName: "สมชาย",
    amount: 123.45,
    currency: "THB",
    message: "สู้ๆ",
    source: "external",
    speech: null,
    replay: false,
  });
  expect(await world.alertOf(donationId)).toEqual({ status: "leased", reason: null, shown: false });
  expect(await page.started(playback.id)).toEqual({ status: "playing", changed: true });
  expect(await world.alertOf(donationId)).toMatchObject({ status: "playing" });
  expect(await page.started(playback.id)).toEqual({ status: "playing", changed: false });
  expect(await page.ended(playback.id)).toEqual({ status: "shown", changed: true });
  expect(await page.ended(playback.id)).toEqual({ status: "shown", changed: false });
  expect(await page.started(playback.id)).toEqual({ status: "shown", changed: false });
  expect(await world.alertOf(donationId)).toEqual({ status: "shown", reason: null, shown: true });
});

test("one at a time, in the order of recording", async () => {
  const page = await begin();
  const donations = [];
  for (let i = 0; i < 8; i += 1) donations.push(await donate());
  const played = [];
  for (let i = 0; i < 8; i += 1) played.push(await play(page));
  expect(played).toEqual(donations);
  expect(page.events.filter(({ event }) => event === "playback")).toHaveLength(8);
});

test("what was recorded while nobody was connected is played in order when a page comes", async () => {
  hub = world.newHub();
  streamerId = await world.newStreamer();
  const donations = [await donate(), await donate({ skipAlert: true }), await donate()];
  expect(await readQueue(world.knex, streamerId)).toMatchObject({ connected: false, playing: null, waitingCount: 2 });
  const page = await come();
  const snapshot = await page.nextOf("snapshot");
  expect(snapshot.playback?.donationId).toBe(donations[0]);
  await page.ended(snapshot.playback?.id as string);
  expect(await play(page)).toBe(donations[2]);
});

test("below the minimum and filtered donations are skipped for that reason, and nothing waits for them", async () => {
  const page = await begin();
  await control(saveSettings(world.knex, streamerId, { minimumAmount: 20, blockedWords: ["สแปม"] }));
  const low = await donate({ amount: 19.99 });
  const bad = await donate({ amount: 20, message: "ส แ ป ม" });
  const badName = await donate({ amount: 20, donatorName: "สแปมเมอร์" });
  const good = await donate({ amount: 20, message: "ดี" });
  expect(await play(page)).toBe(good);
  expect(await world.alertOf(low)).toMatchObject({ status: "skipped", reason: "below_minimum" });
  expect(await world.alertOf(bad)).toMatchObject({ status: "skipped", reason: "filtered" });
  expect(await world.alertOf(badName)).toMatchObject({ status: "skipped", reason: "filtered" });
});

test("a filter that is set while alerts wait holds for them, too", async () => {
  const page = await begin();
  await donate();
  const first = await page.nextOf("playback");
  const bad = await donate({ message: "late" });
  const good = await donate();
  await control(saveSettings(world.knex, streamerId, { blockedWords: ["late"] }));
  await page.ended(first.id);
  expect(await play(page)).toBe(good);
  expect(await world.alertOf(bad)).toMatchObject({ status: "skipped", reason: "filtered" });
});

test("many refused alerts in a row don't stop the queue", async () => {
  const page = await begin();
  await control(saveSettings(world.knex, streamerId, { minimumAmount: 2 }));
  await control(setPaused(world.knex, streamerId, true));
  for (let i = 0; i < 300; i += 1) await world.donate(streamerId);
  const good = await donate({ amount: 2 });
  await control(setPaused(world.knex, streamerId, false));
  expect(await play(page)).toBe(good);
  expect(await readQueue(world.knex, streamerId)).toMatchObject({ waitingCount: 0 });
});

test("paused: what plays is played to its end, nothing new begins until resumed", async () => {
  const page = await begin();
  await donate();
  const { id } = await page.nextOf("playback");
  await page.started(id);
  await control(setPaused(world.knex, streamerId, true));
  expect(await page.nextOf("settings")).toMatchObject({ paused: true });
  const second = await donate();
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  expect(await readQueue(world.knex, streamerId)).toMatchObject({ paused: true, connected: true, playing: null, waitingCount: 1 });
  await control(setPaused(world.knex, streamerId, false));
  expect(await page.nextOf("settings")).toMatchObject({ paused: false });
  expect(await play(page)).toBe(second);
  expect(page.events.filter(({ event }) => event === "playback")).toHaveLength(2);
});

test("skip: the page is told to stop, the next one follows, and the skipped one cannot be acknowledged", async () => {
  const page = await begin();
  const [first, second] = [await donate(), await donate()];
  const { id } = await page.nextOf("playback");
  await page.started(id);
  expect(await control(skipPlaying(world.knex, streamerId))).toBe(true);
  expect(await page.nextOf("stop")).toEqual({ playbackId: id });
  expect(await play(page)).toBe(second);
  expect(await world.alertOf(first)).toEqual({ status: "skipped", reason: "control", shown: false });
  expect([await page.started(id), await page.ended(id)]).toEqual(["conflict", "conflict"]);
  expect(await control(skipPlaying(world.knex, streamerId))).toBe(false);
});

test("clear: everything that waits is skipped, taken in or not; what plays ends", async () => {
  const page = await begin();
  const donations = [];
  for (let i = 0; i < 9; i += 1) donations.push(await donate());
  const { id } = await page.nextOf("playback");
  await control(clearWaiting(world.knex, streamerId));
  expect(await readQueue(world.knex, streamerId)).toMatchObject({ playing: { playbackId: id }, waiting: [], waitingCount: 0 });
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  for (const donation of donations.slice(1)) expect(await world.alertOf(donation)).toMatchObject({ status: "skipped", reason: "control" });
  const later = await donate();
  expect(await play(page)).toBe(later);
});

test("replay: once more, as the next one; its alert shows how the latest stands, and when it was shown first", async () => {
  const page = await begin();
  const shown = await donate();
  await play(page);
  const [now, waiting] = [await donate(), await donate()];
  const { id } = await page.nextOf("playback");
  expect(await replay(world.knex, streamerId, now, false)).toBe("busy");
  expect(await replay(world.knex, streamerId, waiting, false)).toBe("busy");
  expect(await replay(world.knex, streamerId, id, false)).toBe("unknown");
  const again = await control(replay(world.knex, streamerId, shown, false));
  expect(again).toMatchObject({ donationId: shown, status: "queued" });
  expect(await world.alertOf(shown)).toEqual({ status: "queued", reason: null, shown: true });
  expect(await replay(world.knex, streamerId, shown, false)).toBe("busy");
  expect((await readQueue(world.knex, streamerId)).waiting.map((one) => [one.donationId, one.replay])).toEqual([
    [shown, true],
    [waiting, false],
  ]);
  await page.ended(id);
  const replayed = await page.nextOf("playback");
  expect(replayed).toMatchObject({ donationId: shown, replay: true });
  await page.ended(replayed.id);
  expect(await play(page)).toBe(waiting);
});

test("replay shows what was recorded without an alert, filtered, or cleared before anybody took it in: once", async () => {
  const page = await begin();
  await control(saveSettings(world.knex, streamerId, { blockedWords: ["bad"] }));
  const quiet = await donate({ skipAlert: true });
  const filtered = await donate({ message: "bad" });
  await control(setPaused(world.knex, streamerId, true));
  for (let i = 0; i < 5; i += 1) await donate();
  const cleared = await donate();
  await control(clearWaiting(world.knex, streamerId));
  for (const donation of [quiet, filtered, cleared]) await control(replay(world.knex, streamerId, donation, false));
  await control(setPaused(world.knex, streamerId, false));
  expect([await play(page), await play(page), await play(page)]).toEqual([quiet, filtered, cleared]);
  expect(await readQueue(world.knex, streamerId)).toMatchObject({ playing: null, waitingCount: 0 });
  expect(await world.alertOf(quiet)).toEqual({ status: "shown", reason: null, shown: true });
});

test("an alert that nobody has taken in can't be replayed, and one that was replayed is not taken in as well", async () => {
  hub = world.newHub();
  streamerId = await world.newStreamer();
  const waiting = await donate();
  const quiet = await donate({ skipAlert: true });
  expect(await replay(world.knex, streamerId, waiting, false)).toBe("busy");
  await replay(world.knex, streamerId, quiet, false);
  const page = await come();
  const { playback } = await page.nextOf("snapshot");
  expect(playback).toMatchObject({ donationId: quiet, replay: true });
  await page.ended(playback?.id as string);
  expect(await play(page)).toBe(waiting);
  expect(await readQueue(world.knex, streamerId)).toMatchObject({ playing: null, waitingCount: 0 });
});

test("speech is made ahead, outside of any lock, and what is not ready holds up those behind it", async () => {
  const asked: string[] = [];
  const ready = new Map<string, () => void>();
  const speech = {
    prepare: (_streamerId: string, { message }: { message: string }) =>
      new Promise<{ hash: string; mime: string; durationMs: number }>((resolve) => {
        asked.push(message);
        ready.set(message, () => resolve({ hash: "f".repeat(64), mime: "audio/wav", durationMs: 1_500.4 }));
      }),
    read: async () => null,
  };
  const page = await begin({ speech });
  for (const message of ["1", "2", "3", "4"]) await donate({ message });
  await expect.poll(() => asked.toSorted()).toEqual(["1", "2", "3"]);
  expect(await readQueue(world.knex, streamerId)).toMatchObject({
    playing: null,
    waiting: [{ status: "preparing" }, {}, {}, { playbackId: null }],
  });
  ready.get("2")?.();
  await expect.poll(() => world.states(streamerId)).toEqual(["preparing", "queued", "preparing"]);
  ready.get("1")?.();
  expect(await page.nextOf("playback")).toMatchObject({
    message: "1",
    speech: { id: "f".repeat(64), mime: "audio/wav", durationMs: 1_501 },
  });
  await expect.poll(() => asked.toSorted()).toEqual(["1", "2", "3", "4"]);
});

test.each([
  ["fails", () => Promise.reject(new Error("broken"))],
  ["never ends", () => new Promise<null>(() => {})],
  ["has nothing to say", async () => null],
])("an alert plays without speech that %s", async (_, prepare) => {
  const page = await begin({ speech: { prepare, read: async () => null }, times: { prepare: 50 } });
  await donate();
  expect(await page.nextOf("playback")).toMatchObject({ speech: null });
});

test("without speech in the settings none is made, and what was made is not told", async () => {
  const asked: string[] = [];
  const prepare = async (_streamerId: string, { message }: { message: string }) => {
    asked.push(message);
    return { hash: "a".repeat(64), mime: "audio/wav", durationMs: null };
  };
  const page = await begin({ speech: { prepare, read: async () => null } });
  await control(setPaused(world.knex, streamerId, true));
  await donate({ message: "made" });
  await expect.poll(() => world.states(streamerId)).toEqual(["queued"]);
  await control(saveSettings(world.knex, streamerId, { speech: false }));
  await donate({ message: "not made" });
  await control(setPaused(world.knex, streamerId, false));
  const first = await page.nextOf("playback");
  expect(first.speech).toBeNull();
  await page.ended(first.id);
  expect(await page.nextOf("playback")).toMatchObject({ message: "not made", speech: null });
  expect(asked).toEqual(["made"]);
});

test("one streamer's queue is not another's", async () => {
  const page = await begin();
  const other = await world.newStreamer();
  const stranger = await visit({ knex: world.knex, hub, streamerId: other });
  await stranger.next();
  await donate();
  const { id, donationId } = await page.nextOf("playback");
  expect(await stranger.ended(id)).toBe("unknown");
  expect(await replay(world.knex, other, donationId, false)).toBe("unknown");
  expect(await skipPlaying(world.knex, other)).toBe(false);
  expect(stranger.events.map(({ event }) => event)).toEqual(["snapshot"]);
});
