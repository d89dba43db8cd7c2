import { expect, test } from "vitest";
import { playbackOf } from "./testing.ts";
import { acknowledged, connected, openPage, snapshotOf, useScenario } from "./testing-coordinator.ts";

// What pages show while another browser leads, and what follows when this browser takes over.

const scenario = useScenario();

const a = playbackOf("a");
const started = (elapsedMs: number) => playbackOf("a", { elapsedMs });

test("pages load the files of a playback that another browser is about to play, and show it once it has started, without acknowledgement", async () => {
  const [first, second] = [openPage(scenario), openPage(scenario)];
  const stream = await connected(scenario, null, "standby");
  await stream.send("playback", a);
  expect([first.commands(), second.commands()]).toEqual([["load a"], ["load a"]]);
  await stream.send("playback", started(5));
  for (const page of [first, second]) {
    expect(page.commands()).toEqual(["load a", "follow a"]);
    expect(page.received.at(-1)).toMatchObject({ leads: false, elapsedMs: 5 });
    page.send({ type: "finished", playbackId: "a" });
  }
  expect(acknowledged(scenario)).toEqual([]);
});

test("a page that opens in the middle of an alert joins it at its present moment", async () => {
  openPage(scenario);
  await connected(scenario, started(1_000), "standby");
  await scenario.clock.advance(2_000);
  const late = openPage(scenario);
  expect(late.received.at(-1)).toMatchObject({ type: "play", leads: false, elapsedMs: 3_000 });
});

test("a page that opens after another one here has shown the alert to its end is empty, though the server is not heard", async () => {
  const first = openPage(scenario);
  await connected(scenario, started(0), "standby");
  first.send({ type: "finished", playbackId: "a" });
  expect(openPage(scenario).commands()).toEqual([]);
});

test("a stop of the playback stops it on every page", async () => {
  const pages = [openPage(scenario), openPage(scenario)];
  const stream = await connected(scenario, started(0), "standby");
  await stream.send("stop", { playbackId: "a" });
  for (const page of pages) expect(page.commands()).toEqual(["follow a", "stop a"]);
});

test("a browser that takes over in the middle goes on, and acknowledges the end once", async () => {
  const [first, second] = [openPage(scenario), openPage(scenario)];
  const stream = await connected(scenario, started(0), "standby");
  await stream.send("role", { role: "player" });
  expect([first.commands(), second.commands()]).toEqual([["follow a", "lead a"], ["follow a"]]);
  first.ended("a");
  await scenario.clock.advance(0);
  expect(second.commands()).toEqual(["follow a", "stop a"]);
  expect(acknowledged(scenario)).toEqual(["a ended"]);
});

test("a browser that takes over after its pages have shown the alert to its end acknowledges that, and shows nothing again", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario, started(0), "standby");
  page.send({ type: "finished", playbackId: "a" });
  await stream.send("role", { role: "player" });
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual(["follow a"]);
  expect(acknowledged(scenario)).toEqual(["a started", "a ended"]);
});

test("a browser that led and comes back as a follower shows the alert on, and acknowledges its end no more", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario, a);
  page.started("a");
  await stream.end();
  await scenario.clock.advance(2_000);
  const [again] = scenario.api.open();
  expect(again?.query).toMatchObject({ playing: "a" });
  await again?.send("snapshot", snapshotOf(started(2_000), "standby"));
  page.ended("a");
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual(["play a"]);
  expect(acknowledged(scenario)).toEqual(["a started"]);
});

test("pages that followed when their coordinator died go on, and one of them leads when the new one is told to", async () => {
  const playing = { playback: a, started: true, leads: false, elapsedMs: 2_000 };
  const [first, second] = [openPage(scenario, "overlay", playing), openPage(scenario, "overlay", playing)];
  await connected(scenario, started(2_000));
  expect(scenario.api.streams[0]?.query).toMatchObject({ playing: "a" });
  expect([first.commands(), second.commands()]).toEqual([["lead a"], []]);
});

test("a playback that its player begins again begins again on the following pages", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario, started(3_000), "standby");
  await stream.send("playback", a);
  await stream.send("playback", started(0));
  expect(page.commands()).toEqual(["follow a", "stop a", "load a", "follow a"]);
});

test("a page in OBS plays before one in a browser, and a visible one before a hidden one", async () => {
  const plain = openPage(scenario);
  const hidden = openPage(scenario, "overlay", null, [], { client: "obs", active: false });
  const shown = openPage(scenario, "overlay", null, [], { client: "obs" });
  await connected(scenario, a);
  expect([plain.commands(), hidden.commands(), shown.commands()]).toEqual([[], [], ["play a"]]);
});

test("the server is told once that the best page is hidden, not in the middle of an alert, and not for a moment", async () => {
  const page = openPage(scenario);
  await connected(scenario, a);
  page.started("a");
  page.send({ type: "activity", active: false });
  await scenario.clock.advance(5_000);
  expect(scenario.api.streams.length).toBe(1);
  page.ended("a");
  await scenario.clock.advance(1_100);
  expect(scenario.api.streams.map(({ query }) => query.isActive)).toEqual([true, false]);
  page.send({ type: "activity", active: true });
  page.send({ type: "activity", active: false });
  await scenario.clock.advance(5_000);
  expect(scenario.api.streams.length).toBe(2);
});
