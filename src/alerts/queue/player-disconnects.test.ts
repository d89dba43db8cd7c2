import { expect, test } from "vitest";
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
import { setHidden, setPaused } from "./controls.ts";
import { readQueue } from "./read-queue.ts";

const scenario = usePlayerScenario();

test("an alert whose player disconnects before the start waits again, and the next player gets it", async () => {
  const page = await startWithPage(scenario);
  const donationId = await donate(scenario);
  const { id } = await page.nextOf("playback");
  await disconnect(scenario, page);
  await expect.poll(() => scenario.fixture.states(scenario.streamerId)).toEqual(["queued"]);
  expect(await scenario.fixture.alertOf(donationId)).toMatchObject({ status: "queued" });
  const other = await connect(scenario, { player: "q" });
  expect((await other.nextOf("snapshot")).playback).toMatchObject({ id, donationId });
  expect(await page.started(id)).toBe("conflict");
  expect(await other.started(id)).toMatchObject({ status: "playing" });
});

test("a start that is acknowledged after the player has disconnected counts if no other playback was handed out", async () => {
  const page = await startWithPage(scenario);
  await donate(scenario);
  const { id } = await page.nextOf("playback");
  await disconnect(scenario, page);
  expect(await page.started(id)).toMatchObject({ status: "playing" });
});

test("a page that reconnects before the start is acknowledged and says that it is playing continues, and nothing is played twice", async () => {
  const page = await startWithPage(scenario);
  const [, second] = [await donate(scenario), await donate(scenario)];
  const { id } = await page.nextOf("playback");
  await disconnect(scenario, page);
  const again = await connect(scenario, { playing: id });
  expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
  expect(await again.ended(id)).toMatchObject({ status: "shown" });
  expect((await again.nextOf("playback")).donationId).toBe(second);
});

test("a page that reconnects while everything is hidden is not handed its playback, which plays when it is shown again", async () => {
  const page = await startWithPage(scenario);
  const { fixture, hub, streamerId } = scenario;
  const donationId = await donate(scenario);
  const { id } = await page.nextOf("playback");
  await disconnect(scenario, page);
  await setHidden(fixture.knex, streamerId, true);
  const again = await connect(scenario, { playing: id });
  expect(await again.nextOf("snapshot")).toMatchObject({ role: "player", hidden: true, playback: null });
  expect(await fixture.states(streamerId)).toEqual(["queued"]);
  await setHidden(fixture.knex, streamerId, false);
  hub.changed(streamerId);
  expect(await again.nextOf("playback")).toMatchObject({ id, donationId });
  expect(await again.started(id)).toMatchObject({ status: "playing" });
});

test("a page that reconnects while alerts are paused continues the alert that it is playing, and gets no other", async () => {
  const page = await startWithPage(scenario);
  await donate(scenario);
  const { id } = await page.nextOf("playback");
  await donate(scenario);
  await disconnect(scenario, page);
  await setPaused(scenario.fixture.knex, scenario.streamerId, true);
  const again = await connect(scenario, { playing: id });
  expect(await again.nextOf("snapshot")).toMatchObject({ paused: true, playback: { id } });
  expect(await again.ended(id)).toMatchObject({ status: "shown" });
  expect(await again.nextOf("stop")).toEqual({ playbackId: id });
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["shown", "queued"]);
});

test("an alert whose players disconnect ten times before the start is unconfirmed, and the next alert follows", async () => {
  await startHub(scenario);
  const [first, second] = [await donate(scenario), await donate(scenario)];
  for (let i = 0; i < 10; i += 1) {
    const page = await connect(scenario);
    expect((await page.nextOf("snapshot")).playback?.donationId).toBe(first);
    await disconnect(scenario, page);
  }
  expect(await scenario.fixture.alertOf(first)).toMatchObject({ status: "unconfirmed", shown: false });
  expect((await (await connect(scenario)).nextOf("snapshot")).playback?.donationId).toBe(second);
});

test("a player that comes back within ten seconds plays its playback again from the beginning", async () => {
  const { page, id } = await startPlaying(scenario);
  await disconnect(scenario, page);
  await passTime(scenario, 5_000);
  const again = await connect(scenario);
  expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
  expect(await again.started(id)).toMatchObject({ status: "playing", changed: true });
  await passTime(scenario, 30_000);
  expect(await again.ended(id)).toMatchObject({ status: "shown" });
});

test("a playback that does not start again within ten seconds of the player's return is unconfirmed", async () => {
  const { page, id } = await startPlaying(scenario);
  await disconnect(scenario, page);
  const again = await connect(scenario);
  await again.nextOf("snapshot");
  await passTime(scenario, 5_000);
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["playing"]);
  await passTime(scenario, 5_100);
  await again.closed;
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["unconfirmed"]);
  expect(await again.ended(id)).toBe("conflict");
});

test("a player that comes back and is still playing continues, within the time that the playback was allowed", async () => {
  const { page, id } = await startPlaying(scenario);
  await disconnect(scenario, page);
  const again = await connect(scenario, { playing: id });
  expect((await again.nextOf("snapshot")).playback).toMatchObject({ id });
  await passTime(scenario, 50_000);
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["playing"]);
  expect(await again.ended(id)).toMatchObject({ status: "shown" });
});

test("the end of a playback is accepted while its player is disconnected", async () => {
  const { page, id } = await startPlaying(scenario);
  const next = await donate(scenario);
  await disconnect(scenario, page);
  expect(await page.ended(id)).toMatchObject({ status: "shown" });
  expect((await (await connect(scenario)).nextOf("snapshot")).playback?.donationId).toBe(next);
});

test("another player waits ten seconds for a player that disconnected during a playback; then the playback is unconfirmed for good", async () => {
  const { page, id } = await startPlaying(scenario);
  const next = await donate(scenario);
  await disconnect(scenario, page);
  const other = await connect(scenario, { player: "q" });
  expect(await other.nextOf("snapshot")).toMatchObject({ role: "standby", playback: null });
  await passTime(scenario, 5_000);
  expect((await scenario.fixture.states(scenario.streamerId))[0]).toBe("playing");
  await passTime(scenario, 5_100);
  expect(await other.nextOf("role")).toEqual({ role: "player" });
  expect((await other.nextOf("playback")).donationId).toBe(next);
  expect(await page.ended(id)).toBe("conflict");
  expect((await readQueue(scenario.fixture.knex, scenario.streamerId)).playing?.donationId).toBe(next);
});

test("a playback whose player does not come back within ten seconds is ended by the sweep of any process", async () => {
  const { page } = await startPlaying(scenario);
  await disconnect(scenario, page);
  await sweep(scenario);
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["playing"]);
  await scenario.fixture.age(scenario.streamerId, 10_100);
  expect(await sweep(scenario)).toContain(scenario.streamerId);
  expect(await scenario.fixture.states(scenario.streamerId)).toEqual(["unconfirmed"]);
});

test("a start that is not acknowledged within ten seconds closes the connection; after the third time the alert is unconfirmed", async () => {
  await startHub(scenario);
  const [first, second] = [await donate(scenario), await donate(scenario)];
  for (let i = 0; i < 3; i += 1) {
    const page = await connect(scenario);
    expect((await page.nextOf("snapshot")).playback?.donationId).toBe(first);
    await passTime(scenario, 10_100);
    await page.closed;
    expect(await scenario.fixture.states(scenario.streamerId)).toEqual([i < 2 ? "queued" : "unconfirmed", "queued"]);
  }
  expect((await (await connect(scenario)).nextOf("snapshot")).playback?.donationId).toBe(second);
});

test("an alert that was handed to a page that has crashed unnoticed waits for the next page", async () => {
  const dead = await startWithPage(scenario);
  const donationId = await donate(scenario);
  await dead.nextOf("playback");
  await passTime(scenario, 10_100);
  await dead.closed;
  await passTime(scenario, 300_000);
  expect((await (await connect(scenario)).nextOf("snapshot")).playback?.donationId).toBe(donationId);
});

test("a playback that takes longer than it is allowed is unconfirmed, and the next one follows", async () => {
  const { page, id } = await startPlaying(scenario);
  const next = await donate(scenario);
  await passTime(scenario, 50_000);
  expect((await scenario.fixture.states(scenario.streamerId))[0]).toBe("playing");
  await passTime(scenario, 10_100);
  expect(await page.nextOf("stop")).toEqual({ playbackId: id });
  expect((await page.nextOf("playback")).donationId).toBe(next);
  expect((await scenario.fixture.states(scenario.streamerId))[0]).toBe("unconfirmed");
});
