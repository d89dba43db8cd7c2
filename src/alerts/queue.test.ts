import { expect, test } from "vitest";
import type { Hub } from "./connections/hub.ts";
import { clearWaiting, saveSettings, setPaused, skipPlaying } from "./queue/controls.ts";
import { replay } from "./queue/intake.ts";
import { readQueue } from "./queue/read-queue.ts";
import { connectPage, type OverlayFixture, type Page, useOverlayFixture } from "./testing.ts";

const fixture = useOverlayFixture();
let hub: Hub;
let streamerId: string;

/** A hub, a new streamer and a page that plays. */
async function startHub(deps: Parameters<OverlayFixture["newHub"]>[0] = {}): Promise<Page> {
  hub = fixture.newHub(deps);
  streamerId = await fixture.newStreamer();
  return connect();
}

const connect = (player = "p") => connectPage({ knex: fixture.knex, hub, streamerId, player });

async function donate(donation = {}): Promise<string> {
  const id = await fixture.donate(streamerId, donation);
  hub.changed(streamerId);
  return id;
}

/** Plays what comes next to its end; answers the donation. */
async function playNext(page: Page): Promise<string> {
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

test("a donation's alert is played, and the donation's record shows it as leased, playing and shown", async () => {
  const page = await startHub();
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
    ...{ faster: false, variation: null, masked: false, elapsedMs: null },
  });
  expect(await fixture.alertOf(donationId)).toEqual({ status: "leased", reason: null, shown: false });
  expect(await page.started(playback.id)).toEqual({ status: "playing", changed: true });
  expect(await fixture.alertOf(donationId)).toMatchObject({ status: "playing" });
  expect(await page.started(playback.id)).toEqual({ status: "playing", changed: false });
  expect(await page.ended(playback.id)).toEqual({ status: "shown", changed: true });
  expect(await page.ended(playback.id)).toEqual({ status: "shown", changed: false });
  expect(await page.started(playback.id)).toEqual({ status: "shown", changed: false });
  expect(await fixture.alertOf(donationId)).toEqual({ status: "shown", reason: null, shown: true });
});

test("alerts are played one at a time, in the order of recording", async () => {
  const page = await startHub();
  const donations = [];
  for (let i = 0; i < 8; i += 1) donations.push(await donate());
  const played = [];
  for (let i = 0; i < 8; i += 1) played.push(await playNext(page));
  expect(played).toEqual(donations);
  expect(page.events.filter(({ event }) => event === "playback")).toHaveLength(8);
});

test("alerts of donations recorded without a connected page are played in order when a page connects", async () => {
  hub = fixture.newHub();
  streamerId = await fixture.newStreamer();
  const donations = [await donate(), await donate({ skipAlert: true }), await donate()];
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ connected: false, playing: null, waitingCount: 2 });
  const page = await connect();
  const snapshot = await page.nextOf("snapshot");
  expect(snapshot.playback?.donationId).toBe(donations[0]);
  await page.ended(snapshot.playback?.id as string);
  expect(await playNext(page)).toBe(donations[2]);
});

test("alerts below the minimum amount or with blocked words are skipped for that reason, and do not delay others", async () => {
  const page = await startHub();
  await control(saveSettings(fixture.knex, streamerId, { minimumAmount: 20, blockedWords: ["สแปม"] }));
  const low = await donate({ amount: 19.99 });
  const bad = await donate({ amount: 20, message: "ส แ ป ม" });
  const badName = await donate({ amount: 20, donatorName: "สแปมเมอร์" });
  const good = await donate({ amount: 20, message: "ดี" });
  expect(await playNext(page)).toBe(good);
  expect(await fixture.alertOf(low)).toMatchObject({ status: "skipped", reason: "below_minimum" });
  expect(await fixture.alertOf(bad)).toMatchObject({ status: "skipped", reason: "filtered" });
  expect(await fixture.alertOf(badName)).toMatchObject({ status: "skipped", reason: "filtered" });
});

test("a filter that is set while alerts wait applies to these alerts", async () => {
  const page = await startHub();
  await donate();
  const first = await page.nextOf("playback");
  const bad = await donate({ message: "late" });
  const good = await donate();
  await control(saveSettings(fixture.knex, streamerId, { blockedWords: ["late"] }));
  await page.ended(first.id);
  expect(await playNext(page)).toBe(good);
  expect(await fixture.alertOf(bad)).toMatchObject({ status: "skipped", reason: "filtered" });
});

test("many skipped alerts in a row do not stop the queue", async () => {
  const page = await startHub();
  await control(saveSettings(fixture.knex, streamerId, { minimumAmount: 2 }));
  await control(setPaused(fixture.knex, streamerId, true));
  for (let i = 0; i < 300; i += 1) await fixture.donate(streamerId);
  const good = await donate({ amount: 2 });
  await control(setPaused(fixture.knex, streamerId, false));
  expect(await playNext(page)).toBe(good);
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ waitingCount: 0 });
});

test("pausing lets the active playback end, and starts no other one before the queue is resumed", async () => {
  const page = await startHub();
  await donate();
  const { id } = await page.nextOf("playback");
  await page.started(id);
  await control(setPaused(fixture.knex, streamerId, true));
  expect(await page.nextOf("settings")).toMatchObject({ paused: true });
  const second = await donate();
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ paused: true, connected: true, playing: null, waitingCount: 1 });
  await control(setPaused(fixture.knex, streamerId, false));
  expect(await page.nextOf("settings")).toMatchObject({ paused: false });
  expect(await playNext(page)).toBe(second);
  expect(page.events.filter(({ event }) => event === "playback")).toHaveLength(2);
});

test("skipping stops the active playback, the next one follows, and the skipped one cannot be acknowledged", async () => {
  const page = await startHub();
  const [first, second] = [await donate(), await donate()];
  const { id } = await page.nextOf("playback");
  await page.started(id);
  expect(await control(skipPlaying(fixture.knex, streamerId))).toBe(true);
  expect(await page.nextOf("stop")).toEqual({ playbackId: id });
  expect(await playNext(page)).toBe(second);
  expect(await fixture.alertOf(first)).toEqual({ status: "skipped", reason: "control", shown: false });
  expect([await page.started(id), await page.ended(id)]).toEqual(["conflict", "conflict"]);
  expect(await control(skipPlaying(fixture.knex, streamerId))).toBe(false);
});

test("clearing skips every waiting alert, with or without a playback, and lets the active playback end", async () => {
  const page = await startHub();
  const donations = [];
  for (let i = 0; i < 9; i += 1) donations.push(await donate());
  const { id } = await page.nextOf("playback");
  await control(clearWaiting(fixture.knex, streamerId));
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ playing: { playbackId: id }, waiting: [], waitingCount: 0 });
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  for (const donation of donations.slice(1))
    expect(await fixture.alertOf(donation)).toMatchObject({ status: "skipped", reason: "control" });
  const later = await donate();
  expect(await playNext(page)).toBe(later);
});

test("a replay is played next; the alert shows the state of the latest playback and when it was shown first", async () => {
  const page = await startHub();
  const shown = await donate();
  await playNext(page);
  const [now, waiting] = [await donate(), await donate()];
  const { id } = await page.nextOf("playback");
  expect(await replay(fixture.stepDeps, streamerId, now)).toBe("busy");
  expect(await replay(fixture.stepDeps, streamerId, waiting)).toBe("busy");
  expect(await replay(fixture.stepDeps, streamerId, id)).toBe("unknown");
  const again = await control(replay(fixture.stepDeps, streamerId, shown));
  expect(again).toMatchObject({ donationId: shown, status: "queued" });
  expect(await fixture.alertOf(shown)).toEqual({ status: "queued", reason: null, shown: true });
  expect(await replay(fixture.stepDeps, streamerId, shown)).toBe("busy");
  expect((await readQueue(fixture.knex, streamerId)).waiting.map((one) => [one.donationId, one.replay])).toEqual([
    [shown, true],
    [waiting, false],
  ]);
  await page.ended(id);
  const replayed = await page.nextOf("playback");
  expect(replayed).toMatchObject({ donationId: shown, replay: true });
  await page.ended(replayed.id);
  expect(await playNext(page)).toBe(waiting);
});

test("a donation without an alert, with a filtered one or with one that was cleared before its intake can be replayed, and is played once", async () => {
  const page = await startHub();
  await control(saveSettings(fixture.knex, streamerId, { blockedWords: ["bad"] }));
  const quiet = await donate({ skipAlert: true });
  const filtered = await donate({ message: "bad" });
  await control(setPaused(fixture.knex, streamerId, true));
  for (let i = 0; i < 5; i += 1) await donate();
  const cleared = await donate();
  await control(clearWaiting(fixture.knex, streamerId));
  for (const donation of [quiet, filtered, cleared]) await control(replay(fixture.stepDeps, streamerId, donation));
  await control(setPaused(fixture.knex, streamerId, false));
  expect([await playNext(page), await playNext(page), await playNext(page)]).toEqual([quiet, filtered, cleared]);
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ playing: null, waitingCount: 0 });
  expect(await fixture.alertOf(quiet)).toEqual({ status: "shown", reason: null, shown: true });
});

test("an alert that waits without a playback can't be replayed, and a replayed alert gets no second playback by the intake", async () => {
  hub = fixture.newHub();
  streamerId = await fixture.newStreamer();
  const waiting = await donate();
  const quiet = await donate({ skipAlert: true });
  expect(await replay(fixture.stepDeps, streamerId, waiting)).toBe("busy");
  await replay(fixture.stepDeps, streamerId, quiet);
  const page = await connect();
  const { playback } = await page.nextOf("snapshot");
  expect(playback).toMatchObject({ donationId: quiet, replay: true });
  await page.ended(playback?.id as string);
  expect(await playNext(page)).toBe(waiting);
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({ playing: null, waitingCount: 0 });
});

test("speech is made ahead without holding a lock, and a playback that waits for its speech blocks those after it", async () => {
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
  const page = await startHub({ speech });
  for (const message of ["1", "2", "3", "4"]) await donate({ message });
  await expect.poll(() => asked.toSorted()).toEqual(["1", "2", "3"]);
  expect(await readQueue(fixture.knex, streamerId)).toMatchObject({
    playing: null,
    waiting: [{ status: "preparing" }, {}, {}, { playbackId: null }],
  });
  ready.get("2")?.();
  await expect.poll(() => fixture.states(streamerId)).toEqual(["preparing", "queued", "preparing"]);
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
  ["yields nothing", async () => null],
])("an alert plays without speech if making the speech %s", async (_, prepare) => {
  const page = await startHub({ speech: { prepare, read: async () => null }, times: { speechLimitMs: 50 } });
  await donate();
  expect(await page.nextOf("playback")).toMatchObject({ speech: null });
});

test("when the settings switch speech off, none is made, and speech that exists is not sent to pages", async () => {
  const asked: string[] = [];
  const prepare = async (_streamerId: string, { message }: { message: string }) => {
    asked.push(message);
    return { hash: "a".repeat(64), mime: "audio/wav", durationMs: null };
  };
  const page = await startHub({ speech: { prepare, read: async () => null } });
  await control(setPaused(fixture.knex, streamerId, true));
  await donate({ message: "made" });
  await expect.poll(() => fixture.states(streamerId)).toEqual(["queued"]);
  await control(saveSettings(fixture.knex, streamerId, { speech: false }));
  await donate({ message: "not made" });
  await control(setPaused(fixture.knex, streamerId, false));
  const first = await page.nextOf("playback");
  expect(first.speech).toBeNull();
  await page.ended(first.id);
  expect(await page.nextOf("playback")).toMatchObject({ message: "not made", speech: null });
  expect(asked).toEqual(["made"]);
});

test("changes of one streamer's queue do not affect another streamer's", async () => {
  const page = await startHub();
  const other = await fixture.newStreamer();
  const stranger = await connectPage({ knex: fixture.knex, hub, streamerId: other });
  await stranger.next();
  await donate();
  const { id, donationId } = await page.nextOf("playback");
  expect(await stranger.ended(id)).toBe("unknown");
  expect(await replay(fixture.stepDeps, other, donationId)).toBe("unknown");
  expect(await skipPlaying(fixture.knex, other)).toBe(false);
  expect(stranger.events.map(({ event }) => event)).toEqual(["snapshot"]);
});
