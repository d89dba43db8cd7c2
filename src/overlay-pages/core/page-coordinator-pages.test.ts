import { expect, test } from "vitest";
import type { FromPage, Hello, ToPage } from "./messages.ts";
import { servePage } from "./page-coordinator.ts";
import { playbackOf } from "./testing.ts";
import { acknowledged, connected, openPage, useScenario } from "./testing-coordinator.ts";

const scenario = useScenario();

const a = playbackOf("a");
const b = playbackOf("b");

test("an alert whose page dies goes on with another page of the browser, which has shown it as well", async () => {
  const [page, other] = [openPage(scenario), openPage(scenario)];
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  page.die();
  await scenario.clock.advance(2_900);
  expect(other.commands()).toEqual(["follow a"]);
  await scenario.clock.advance(1_200);
  expect(other.commands()).toEqual(["follow a", "lead a"]);
  other.ended("a");
  await scenario.clock.advance(0);
  expect(acknowledged(scenario)).toEqual(["a started", "a ended"]);
  expect(scenario.api.streams.length).toBe(1);
});

test("an alert whose page says good-bye before its start is played by another page at once", async () => {
  const [page, other] = [openPage(scenario), openPage(scenario)];
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.send({ type: "bye" });
  expect(other.commands()).toEqual(["play a"]);
});

test("a page that is reloaded within 10 s plays its alert from the beginning, on the same connection", async () => {
  openPage(scenario, "widget");
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  page.send({ type: "bye" });
  await scenario.clock.advance(9_900);
  const reloaded = openPage(scenario);
  expect(reloaded.commands()).toEqual(["play a"]);
  await scenario.clock.advance(20_000);
  expect(scenario.api.streams.length).toBe(1);
});

test("10 s after the only overlay page has left during an alert, the coordinator no longer asks for alerts", async () => {
  openPage(scenario, "widget");
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  page.send({ type: "bye" });
  await scenario.clock.advance(10_100);
  expect(scenario.api.open().map(({ query }) => query)).toMatchObject([{ player: "player of widget", plays: false, playing: null }]);
  const late = openPage(scenario);
  expect(late.commands()).toEqual([]);
});

test("a page that misses pings but is alive is sent `lost`, and its later messages are ignored", async () => {
  const heard: ToPage[] = [];
  const send = scenario.coordinator.join(
    { type: "hello", key: "k", api: "/", kind: "overlay", player: "p", playing: null, ended: [] },
    (message) => heard.push(message),
  );
  const stream = await connected(scenario);
  await stream.send("playback", a);
  await scenario.clock.advance(5_000);
  send({ type: "started", playbackId: "a" });
  await scenario.clock.advance(0);
  expect(heard.at(-1)).toEqual({ type: "lost" });
  expect(acknowledged(scenario)).toEqual([]);
  expect(openPage(scenario).commands()).toEqual(["play a"]);
});

test("pages keep their playback when the whole computer has slept", async () => {
  const page = openPage(scenario);
  await connected(scenario);
  scenario.clock.now = () => 3_600_000;
  await scenario.clock.advance(1_000);
  expect(page.commands()).toEqual([]);
});

test("a page whose coordinator dies continues its alert, and the next coordinator tells the server what plays", async () => {
  openPage(scenario, "widget");
  const page = openPage(scenario, "overlay", { playback: a, started: true });
  await connected(scenario, a);
  expect(scenario.api.open()[0]?.query.playing).toBe("a");
  page.ended("a");
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual([]);
  expect(acknowledged(scenario)).toContain("a ended");
});

test("an end that an earlier coordinator could not send is acknowledged, and the alert is not played again", async () => {
  const page = openPage(scenario, "overlay", null, ["a"]);
  await scenario.clock.advance(0);
  expect(acknowledged(scenario)).toEqual(["a started", "a ended"]);
  const stream = await connected(scenario, a);
  expect(page.commands()).toEqual([]);
  expect(page.received).toContainEqual({ type: "settled", playbackId: "a" });
  await stream.send("playback", b);
  expect(page.commands()).toEqual(["play b"]);
});

test("a page that joins while it plays an alert that another one must play is stopped", async () => {
  openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", b);
  expect(openPage(scenario, "overlay", { playback: a, started: true }).commands()).toEqual(["stop a"]);
});

const hello: Hello = { type: "hello", key: "k", api: "/", kind: "overlay", player: "p", playing: null, ended: [] };

test("a page that says hello twice is one page: its alert plays on, and it is never taken for lost", async () => {
  const heard: ToPage[] = [];
  const send: (message: FromPage) => void = servePage(
    () => scenario.coordinator,
    (message) => {
      heard.push(message);
      if (message.type === "ping") queueMicrotask(() => send({ type: "pong" }));
    },
  );
  send(hello);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  send({ ...hello, playing: { playback: a, started: false } });
  await scenario.clock.advance(20_000);
  expect(heard.filter(({ type }) => ["play", "stop", "lost"].includes(type))).toEqual([
    { type: "play", playback: a, leads: true, elapsedMs: 0 },
  ]);
});
