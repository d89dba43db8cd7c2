import { expect, test } from "vitest";
import { type FakeStream, playbackOf } from "./testing.ts";
import { acknowledged, connected, openPage, snapshotOf, useScenario } from "./testing-coordinator.ts";

const scenario = useScenario();

const a = playbackOf("a");
const b = playbackOf("b");

async function broken() {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  await stream.end();
  await scenario.clock.advance(300);
  return { page, again: scenario.api.open()[0] as FakeStream };
}

test("after a lost connection, the coordinator tells the server what plays, and the page continues if the server agrees", async () => {
  const { page, again } = await broken();
  expect(again.query).toMatchObject({ player: "player of overlay", plays: true, playing: "a" });
  await again.send("snapshot", snapshotOf(a));
  page.ended("a");
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual(["play a"]);
  expect(acknowledged(scenario)).toEqual(["a started", "a started", "a ended"]);
});

test.each([
  ["nothing", null, ["play a", "stop a"]],
  ["another", b, ["play a", "stop a", "play b"]],
])("after a lost connection, the page stops if the server says that %s must play", async (_title, playback, told) => {
  const { page, again } = await broken();
  await again.send("snapshot", snapshotOf(playback));
  expect(page.commands()).toEqual(told);
});

test("while the end of an alert is not acknowledged, the server is tried every three seconds", async () => {
  const { api, clock } = scenario;
  const page = openPage(scenario);
  const stream = await connected(scenario, a);
  page.started("a");
  await clock.advance(100);
  api.refusals = Array(8).fill(0);
  api.failures = Array(100).fill(0);
  await stream.end();
  page.ended("a");
  await clock.advance(20_000);
  expect(api.refusals, "of eight refused attempts, those that were not made within 20 s").toEqual([]);
});

test("an end during a lost connection is acknowledged, and the alert is not played again", async () => {
  scenario.api.failures = [200, 0, 0, 503];
  const { page, again } = await broken();
  page.ended("a");
  await scenario.clock.advance(100);
  await again.send("snapshot", snapshotOf(a));
  await scenario.clock.advance(20_000);
  expect(page.commands()).toEqual(["play a"]);
  expect(new Set(acknowledged(scenario))).toEqual(new Set(["a started", "a ended"]));
  expect(acknowledged(scenario).at(-1)).toBe("a ended");
});

test("acknowledgements are repeated until they are answered, the end never before the start", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  scenario.api.failures = [0, 500, 429];
  await stream.send("playback", a);
  page.started("a");
  page.ended("a");
  await scenario.clock.advance(5_000);
  expect(acknowledged(scenario)).toEqual(["a started", "a started", "a started", "a started", "a ended"]);
});

test("acknowledgements are repeated at once after a snapshot", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  scenario.api.failures = [0, 0, 0, 0, 0];
  page.started("a");
  await scenario.clock.advance(8_000);
  const before = scenario.api.acknowledged.length;
  await stream.send("snapshot", snapshotOf(a));
  expect(scenario.api.acknowledged.length).toBe(before + 1);
});

test("a start that the server refuses stops the page, and the server may send the playback again", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  scenario.api.failures = [409];
  await stream.send("playback", a);
  page.started("a");
  await scenario.clock.advance(5_000);
  expect(page.commands()).toEqual(["play a", "stop a"]);
  expect(acknowledged(scenario)).toEqual(["a started"]);
  await stream.send("playback", a);
  expect(page.commands()).toEqual(["play a", "stop a", "play a"]);
});

test("an end that the server refuses is not repeated", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  scenario.api.failures = [200, 409];
  await stream.send("playback", a);
  page.started("a");
  page.ended("a");
  await scenario.clock.advance(60_000);
  expect(acknowledged(scenario)).toEqual(["a started", "a ended"]);
});

test("while an alert is on screen, a server that cannot be reached is tried at least every three seconds, since it gives the alert up after ten", async () => {
  const attemptsIn = async (ms: number) => {
    scenario.api.refusals = Array.from({ length: 40 }, () => 0);
    await scenario.api.open()[0]?.end();
    await scenario.clock.advance(40_000);
    const before = scenario.api.refusals.length;
    await scenario.clock.advance(ms);
    return before - scenario.api.refusals.length;
  };
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  expect(await attemptsIn(30_000)).toBeGreaterThanOrEqual(10);
  page.ended("a");
  await scenario.clock.advance(60_000);
  const before = scenario.api.refusals.length;
  await scenario.clock.advance(30_000);
  expect(before - scenario.api.refusals.length).toBeLessThanOrEqual(2);
});
