import { beforeEach, describe, expect, test } from "vitest";
import type { Playback } from "./events.ts";
import type { FromPage, Hello, PageKind, ToPage } from "./messages.ts";
import { makeStation, type Station } from "./page-coordinator.ts";
import { type FakeApi, type FakeClock, type FakeStream, fakeApi, fakeClock, playbackOf, settings } from "./testing.ts";

const widgets = { asOf: "2026-11-20T12:30:00.000Z" };

let api: FakeApi;
let clock: FakeClock;
let station: Station;

beforeEach(() => {
  api = fakeApi();
  clock = fakeClock();
  station = makeStation({ api, clock, random: () => 1 });
});

/** A page that answers pings until it dies. It plays what it is told to, and the test says when that starts and ends. */
function openPage(kind: PageKind = "overlay", playing: Hello["playing"] = null, ended: string[] = []) {
  const heard: ToPage[] = [];
  let alive = true;
  let say: (message: FromPage) => void = () => {};
  const listen = (message: ToPage) => {
    if (!alive) return;
    heard.push(message);
    if (message.type === "ping") queueMicrotask(() => say({ type: "pong" }));
  };
  say = station.join({ type: "hello", key: "k", api: "/", kind, player: `player of ${kind}`, playing, ended }, listen);
  const told = (): string[] =>
    heard.flatMap((message) => {
      if (message.type === "play") return [`play ${message.playback.id}`];
      if (message.type === "stop") return [`stop ${message.playbackId}`];
      return message.type === "lost" ? ["lost"] : [];
    });
  return {
    heard,
    told,
    say,
    started: (playbackId: string) => say({ type: "started", playbackId }),
    ended: (playbackId: string) => say({ type: "ended", playbackId }),
    /** A crash: nobody says good-bye. */
    die: () => {
      alive = false;
    },
  };
}

const snapshotOf = (playback: Playback | null = null) => ({ role: "player", paused: false, settings, playback, widgets });

/** The stream that is open, after its snapshot. */
async function connected(playback: Playback | null = null): Promise<FakeStream> {
  await clock.pass(50);
  const [stream] = api.open();
  if (!stream) throw new Error("there is no connection");
  await stream.send("snapshot", snapshotOf(playback));
  return stream;
}

const acknowledged = () => api.acknowledged.map(({ playbackId, step }) => `${playbackId} ${step}`);
const a = playbackOf("a");
const b = playbackOf("b");

describe("one connection for all pages", () => {
  test("eight pages at once make one, which plays because one of them does", async () => {
    for (const kind of ["widget", "widget", "overlay", "widget", "overlay", "widget", "widget", "widget"] as const) openPage(kind);
    await clock.pass(20_000);
    expect(api.streams.map(({ query }) => query)).toEqual([{ player: "player of widget", plays: true, playing: null }]);
  });

  test("an overlay that comes later asks for alerts at once", async () => {
    openPage("widget");
    await connected();
    openPage("overlay");
    await clock.pass(0);
    expect(api.open().map(({ query }) => query.plays)).toEqual([true]);
  });

  test("when the last overlay goes, widgets stay; when all go, nothing does", async () => {
    const widget = openPage("widget");
    const overlay = openPage("overlay");
    await connected();
    overlay.say({ type: "bye" });
    await clock.pass(2_900);
    expect(api.open().map(({ query }) => query.plays)).toEqual([true]);
    await clock.pass(200);
    expect(api.open().map(({ query }) => query.plays)).toEqual([false]);
    widget.say({ type: "bye" });
    await clock.pass(3_100);
    expect(api.open()).toEqual([]);
  });

  test("every page is told what is known, also one that comes late, and all use one player id", async () => {
    const early = openPage("widget");
    const stream = await connected();
    const late = openPage("overlay");
    for (const page of [early, late])
      expect(page.heard.filter(({ type }) => type !== "ping")).toEqual(
        expect.arrayContaining([
          { type: "welcome", player: "player of widget" },
          { type: "status", status: "live" },
          { type: "settings", paused: false, settings },
          { type: "widgets", widgets },
        ]),
      );
    const changed = { ...settings, volume: 10 };
    await api.open()[0]?.send("settings", { paused: true, settings: changed });
    expect(stream.closed).toBe(true);
    expect(late.heard.at(-1)).toEqual({ type: "settings", paused: true, settings: changed });
  });

  test("a refused key stops everything, until a page is loaded again", async () => {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    api.refusals = [401];
    await stream.end();
    await clock.pass(600_000);
    expect(page.told()).toEqual(["play a", "stop a"]);
    expect(page.heard.filter(({ type }) => type === "status").at(-1)).toEqual({ type: "status", status: "refused" });
    expect(api.streams.length).toBe(1);
    openPage();
    await clock.pass(50);
    expect(api.open().length).toBe(1);
  });
});

describe("playing", () => {
  test("one page plays; start and end are acknowledged in this order", async () => {
    const [first, second, widget] = [openPage(), openPage(), openPage("widget")];
    const stream = await connected();
    await stream.send("playback", a);
    first.started("a");
    first.ended("a");
    await clock.pass(0);
    await stream.send("playback", b);
    expect([first.told(), second.told(), widget.told()]).toEqual([["play a", "play b"], [], []]);
    expect(acknowledged()).toEqual(["a started", "a ended"]);
  });

  test("a stop event is passed on and not acknowledged", async () => {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    await stream.send("stop", { playbackId: "b" });
    expect(page.told()).toEqual(["play a"]);
    await stream.send("stop", { playbackId: "a" });
    page.ended("a"); // too late
    await clock.pass(60_000);
    expect(page.told()).toEqual(["play a", "stop a"]);
    expect(acknowledged()).toEqual(["a started"]);
  });

  test("what has ended is never played again: the server is told once more", async () => {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    page.ended("a");
    await clock.pass(0);
    await stream.send("playback", a);
    await stream.send("snapshot", snapshotOf(a));
    await clock.pass(0);
    expect(page.told()).toEqual(["play a"]);
    expect(acknowledged()).toEqual(["a started", "a ended", "a started", "a ended", "a started", "a ended"]);
  });

  test("the same playback once more while it plays goes on", async () => {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    await stream.send("playback", a);
    page.started("a");
    await stream.send("playback", a);
    await clock.pass(0);
    expect(page.told()).toEqual(["play a"]);
    expect(acknowledged()).toEqual(["a started", "a started"]);
  });

  test("another playback takes the place of the one that plays: nothing plays over another", async () => {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    await stream.send("playback", b);
    page.ended("a");
    await clock.pass(0);
    expect(page.told()).toEqual(["play a", "stop a", "play b"]);
    expect(acknowledged()).toEqual(["a started"]);
  });

  test("a page that does not play has nothing to say about it", async () => {
    const [page, other] = [openPage(), openPage()];
    const stream = await connected();
    await stream.send("playback", a);
    other.started("a");
    other.ended("a");
    page.started("b");
    await clock.pass(0);
    expect(acknowledged()).toEqual([]);
  });
});

describe("the connection breaks in mid-play", () => {
  async function broken() {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    await stream.end();
    await clock.pass(300);
    return { page, again: api.open()[0] as FakeStream };
  }

  test("it says what plays, and goes on when the server agrees", async () => {
    const { page, again } = await broken();
    expect(again.query).toEqual({ player: "player of overlay", plays: true, playing: "a" });
    await again.send("snapshot", snapshotOf(a));
    page.ended("a");
    await clock.pass(0);
    expect(page.told()).toEqual(["play a"]);
    expect(acknowledged()).toEqual(["a started", "a started", "a ended"]);
  });

  test.each([
    ["nothing", null, ["play a", "stop a"]],
    ["another", b, ["play a", "stop a", "play b"]],
  ])("it stops when the server says that %s must play", async (_title, playback, told) => {
    const { page, again } = await broken();
    await again.send("snapshot", snapshotOf(playback));
    expect(page.told()).toEqual(told);
  });

  test("an end meanwhile is acknowledged, and the alert is not played again", async () => {
    api.failures = [200, 0, 0, 503];
    const { page, again } = await broken();
    page.ended("a");
    await clock.pass(100);
    await again.send("snapshot", snapshotOf(a));
    await clock.pass(20_000);
    expect(page.told()).toEqual(["play a"]);
    expect(new Set(acknowledged())).toEqual(new Set(["a started", "a ended"]));
    expect(acknowledged().at(-1)).toBe("a ended");
  });
});

describe("acknowledgements", () => {
  test("are repeated until they are answered, the end never before the start", async () => {
    const page = openPage();
    const stream = await connected();
    api.failures = [0, 500, 429];
    await stream.send("playback", a);
    page.started("a");
    page.ended("a");
    await clock.pass(5_000);
    expect(acknowledged()).toEqual(["a started", "a started", "a started", "a started", "a ended"]);
  });

  test("don't wait when the server is there again", async () => {
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    api.failures = [0, 0, 0, 0, 0];
    page.started("a");
    await clock.pass(8_000);
    const before = api.acknowledged.length;
    await stream.send("snapshot", snapshotOf(a));
    expect(api.acknowledged.length).toBe(before + 1);
  });

  test("a start that is not ours (any more) stops the page", async () => {
    const page = openPage();
    const stream = await connected();
    api.failures = [409];
    await stream.send("playback", a);
    page.started("a");
    await clock.pass(5_000);
    expect(page.told()).toEqual(["play a", "stop a"]);
    expect(acknowledged()).toEqual(["a started"]);
    await stream.send("playback", a);
    expect(page.told()).toEqual(["play a", "stop a", "play a"]);
  });

  test("an end that comes too late is dropped", async () => {
    const page = openPage();
    const stream = await connected();
    api.failures = [200, 409];
    await stream.send("playback", a);
    page.started("a");
    page.ended("a");
    await clock.pass(60_000);
    expect(acknowledged()).toEqual(["a started", "a ended"]);
  });
});

describe("the page dies in mid-play", () => {
  test("another page of the browser plays it from the beginning", async () => {
    const [page, other] = [openPage(), openPage()];
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    page.die();
    await clock.pass(2_900);
    expect(other.told()).toEqual([]);
    await clock.pass(1_200);
    other.started("a");
    other.ended("a");
    await clock.pass(0);
    expect(other.told()).toEqual(["play a"]);
    expect(acknowledged()).toEqual(["a started", "a started", "a ended"]);
    expect(api.streams.length).toBe(1);
  });

  test("one that says good-bye is replaced at once", async () => {
    const [page, other] = [openPage(), openPage()];
    const stream = await connected();
    await stream.send("playback", a);
    page.say({ type: "bye" });
    expect(other.told()).toEqual(["play a"]);
  });

  test("the reloaded page plays it from the beginning, within 10 s and on the same connection", async () => {
    openPage("widget");
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    page.say({ type: "bye" });
    await clock.pass(9_900);
    const reloaded = openPage();
    expect(reloaded.told()).toEqual(["play a"]);
    await clock.pass(20_000);
    expect(api.streams.length).toBe(1);
  });

  test("after 10 s it asks for alerts no more, and nothing plays", async () => {
    openPage("widget");
    const page = openPage();
    const stream = await connected();
    await stream.send("playback", a);
    page.started("a");
    page.say({ type: "bye" });
    await clock.pass(10_100);
    expect(api.open().map(({ query }) => query)).toEqual([{ player: "player of widget", plays: false, playing: null }]);
    const late = openPage();
    expect(late.told()).toEqual([]);
  });

  test("a page that was only slow is told that it is lost, and may come back", async () => {
    const heard: ToPage[] = [];
    const say = station.join({ type: "hello", key: "k", api: "/", kind: "overlay", player: "p", playing: null, ended: [] }, (message) =>
      heard.push(message),
    );
    const stream = await connected();
    await stream.send("playback", a);
    await clock.pass(5_000);
    say({ type: "started", playbackId: "a" });
    await clock.pass(0);
    expect(heard.at(-1)).toEqual({ type: "lost" });
    expect(acknowledged()).toEqual([]);
    expect(openPage().told()).toEqual(["play a"]);
  });

  test("a pause of the whole computer costs no page its place", async () => {
    const page = openPage();
    await connected();
    clock.now = () => 3_600_000;
    await clock.pass(1_000);
    expect(page.told()).toEqual([]);
  });
});

describe("the station dies in mid-play", () => {
  test("the page goes on, and says so to its next station", async () => {
    openPage("widget");
    const page = openPage("overlay", { playback: a, started: true });
    await connected(a);
    expect(api.open()[0]?.query.playing).toBe("a");
    page.ended("a");
    await clock.pass(0);
    expect(page.told()).toEqual([]);
    expect(acknowledged()).toContain("a ended");
  });

  test("what has ended meanwhile is acknowledged, and not played again", async () => {
    const page = openPage("overlay", null, ["a"]);
    await clock.pass(0);
    expect(acknowledged()).toEqual(["a started", "a ended"]);
    const stream = await connected(a);
    expect(page.told()).toEqual([]);
    expect(page.heard).toContainEqual({ type: "settled", playbackId: "a" });
    await stream.send("playback", b);
    expect(page.told()).toEqual(["play b"]);
  });

  test("a page that plays what it must not is stopped", async () => {
    openPage();
    const stream = await connected();
    await stream.send("playback", b);
    expect(openPage("overlay", { playback: a, started: true }).told()).toEqual(["stop a"]);
  });
});
