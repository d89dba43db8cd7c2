import { expect, test } from "vitest";
import { playbackOf, settings } from "./testing.ts";
import { acknowledged, connected, openPage, snapshotOf, useScenario, widgets } from "./testing-coordinator.ts";

const scenario = useScenario();

const a = playbackOf("a");
const b = playbackOf("b");

test("eight pages that join at once share one connection, which plays because one of them is an overlay", async () => {
  for (const kind of ["widget", "widget", "overlay", "widget", "overlay", "widget", "widget", "widget"] as const) openPage(scenario, kind);
  await scenario.clock.advance(20_000);
  expect(scenario.api.streams.map(({ query }) => query)).toMatchObject([{ player: "player of widget", plays: true, playing: null }]);
});

test("an overlay page that joins after a widget makes the coordinator ask for alerts at once", async () => {
  openPage(scenario, "widget");
  await connected(scenario);
  openPage(scenario, "overlay");
  await scenario.clock.advance(0);
  expect(scenario.api.open().map(({ query }) => query.plays)).toEqual([true]);
});

test("when the last overlay page leaves, the connection serves widgets only; when all pages leave, it is closed", async () => {
  const widget = openPage(scenario, "widget");
  const overlay = openPage(scenario, "overlay");
  await connected(scenario);
  overlay.send({ type: "bye" });
  await scenario.clock.advance(2_900);
  expect(scenario.api.open().map(({ query }) => query.plays)).toEqual([true]);
  await scenario.clock.advance(200);
  expect(scenario.api.open().map(({ query }) => query.plays)).toEqual([false]);
  widget.send({ type: "bye" });
  await scenario.clock.advance(3_100);
  expect(scenario.api.open()).toEqual([]);
});

test("every page is sent the status, settings and widgets, even if it joins late, and all use one player id", async () => {
  const early = openPage(scenario, "widget");
  const stream = await connected(scenario);
  const late = openPage(scenario, "overlay");
  for (const page of [early, late])
    expect(page.received.filter(({ type }) => type !== "ping")).toEqual(
      expect.arrayContaining([
        { type: "welcome", player: "player of widget" },
        { type: "status", status: "live" },
        { type: "settings", paused: false, hidden: false, settings, widget: null, sound: "leader" },
        { type: "widgets", widgets },
      ]),
    );
  const changed = { ...settings, volume: 10 };
  await scenario.api.open()[0]?.send("settings", { paused: true, hidden: true, settings: changed, widget: null });
  expect(stream.closed).toBe(true);
  expect(late.received.at(-1)).toEqual({ type: "settings", paused: true, hidden: true, settings: changed, widget: null });
});

test("pages get the settings of the key's widget before its figures", async () => {
  const page = openPage(scenario, "widget");
  const stream = await connected(scenario);
  const widget = { kind: "top", query: "count=3" };
  await stream.send("settings", { paused: false, hidden: false, settings, widget });
  const late = openPage(scenario, "widget");
  for (const { received } of [page, late]) expect(received).toContainEqual(expect.objectContaining({ type: "settings", widget }));
  const types = late.received.map(({ type }) => type);
  expect(types.indexOf("settings")).toBeLessThan(types.indexOf("widgets"));
  await stream.send("settings", { paused: true, hidden: false, settings, widget: null });
  expect(late.received.at(-1)).toMatchObject({ widget: null });
});

test("a refused key stops the playback and all attempts, until another page joins", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  scenario.api.refusals = [401];
  await stream.end();
  await scenario.clock.advance(600_000);
  expect(page.commands()).toEqual(["play a", "stop a"]);
  expect(page.received.filter(({ type }) => type === "status").at(-1)).toEqual({ type: "status", status: "refused" });
  expect(scenario.api.streams.length).toBe(1);
  openPage(scenario);
  await scenario.clock.advance(50);
  expect(scenario.api.open().length).toBe(1);
});

test("every overlay page shows an alert, and the start and end of the leading one are acknowledged in this order", async () => {
  const [first, second, widget] = [openPage(scenario), openPage(scenario), openPage(scenario, "widget")];
  const stream = await connected(scenario);
  await stream.send("playback", a);
  first.started("a");
  first.ended("a");
  await scenario.clock.advance(0);
  await stream.send("playback", b);
  expect([first.commands(), second.commands(), widget.commands()]).toEqual([["play a", "play b"], ["follow a", "stop a"], []]);
  expect(acknowledged(scenario)).toEqual(["a started", "a ended"]);
});

test("a stop event stops the page, and the stopped playback is not acknowledged", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  await stream.send("stop", { playbackId: "b" });
  expect(page.commands()).toEqual(["play a"]);
  await stream.send("stop", { playbackId: "a" });
  page.ended("a"); // too late
  await scenario.clock.advance(60_000);
  expect(page.commands()).toEqual(["play a", "stop a"]);
  expect(acknowledged(scenario)).toEqual(["a started"]);
});

test("a playback that has ended is not played again when the server sends it again; its start and end are acknowledged again", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  page.ended("a");
  await scenario.clock.advance(0);
  await stream.send("playback", a);
  await stream.send("snapshot", snapshotOf(a));
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual(["play a"]);
  expect(acknowledged(scenario)).toEqual(["a started", "a ended", "a started", "a ended", "a started", "a ended"]);
});

test("a playback that the server sends again while it plays continues", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  await stream.send("playback", a);
  page.started("a");
  await stream.send("playback", a);
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual(["play a"]);
  expect(acknowledged(scenario)).toEqual(["a started", "a started"]);
});

test("another playback stops the one that plays before it starts", async () => {
  const page = openPage(scenario);
  const stream = await connected(scenario);
  await stream.send("playback", a);
  page.started("a");
  await stream.send("playback", b);
  page.ended("a");
  await scenario.clock.advance(0);
  expect(page.commands()).toEqual(["play a", "stop a", "play b"]);
  expect(acknowledged(scenario)).toEqual(["a started"]);
});

test("a start or end reported by a page that does not play the alert is ignored", async () => {
  const [page, other] = [openPage(scenario), openPage(scenario)];
  const stream = await connected(scenario);
  await stream.send("playback", a);
  other.started("a");
  other.ended("a");
  page.started("b");
  await scenario.clock.advance(0);
  expect(acknowledged(scenario)).toEqual([]);
});
