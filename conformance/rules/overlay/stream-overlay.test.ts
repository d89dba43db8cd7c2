import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectFaults, found, get } from "../../harness/client/api.ts";
import { send } from "../../harness/client/http-client.ts";
import { freshIdentifier } from "../../harness/generators/donations.ts";
import { change, defaults, donate, freshQueue, queue, queueOf, sendTest } from "../../harness/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, freshPlayer, handed, overlayKeyOf, type Page, show } from "../../harness/overlay/overlay-page.ts";
import { addDonation } from "../../harness/server/operator.ts";
import { type Process, startProcess } from "../../harness/server/process.ts";
import { keyOf, operatorOf, target } from "../../harness/server/target.ts";

let idle: Page | null = null;
let idleSince = 0;

/** One page stays idle while the others are tested: what it hears are comments. */
beforeAll(async () => {
  const key = target().keys.otherOverlay;
  idleSince = Date.now();
  idle = key === null ? null : await follow({ key, plays: false });
});
beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages(idle));
afterAll(() => closePages());

describe("parameters", () => {
  const ask = (query: string) => send({ path: `/api/v1/overlay/stream?${query}`, key: target().keys.overlay });

  test.each([
    ["", "player required"],
    ["player=", "player invalid_format"],
    [`player=${"x".repeat(65)}`, "player invalid_format"],
    ["player=a%20b", "player invalid_format"],
    ["player=%E0%B8%81", "player invalid_format"],
    ["player=a&player=b", "player repeated_parameter"],
    ["player=a&plays=1", "plays invalid_type"],
    ["player=a&plays=True", "plays invalid_type"],
    ["player=a&playing=x", "playing invalid_format"],
    ["player=a&key=x", "key unknown_parameter"],
  ])("?%s is refused", async (query, fault) => expectFaults(await ask(query), fault));

  test.each(["a", "x".repeat(64), "Az_-09"])("the player %s is taken", async (player) => {
    expect(await (await follow({ player })).next("snapshot")).toMatchObject({ role: "player" });
  });
});

test("HEAD answers like GET, and keeps nobody from playing", async (context) => {
  const path = `/api/v1/overlay/stream?player=${freshPlayer()}&plays=true`;
  const reply = await send({ method: "HEAD", path, key: overlayKeyOf(context) });
  expect([reply.status, reply.headers["content-type"]?.split(";")[0]]).toEqual([200, "text/event-stream"]);
  const page = await follow();
  const { role } = await page.next("snapshot");
  if (role !== "player") await page.next("role", (told) => told.role === "player");
});

describe("the snapshot", () => {
  test("is the first event: role, settings, what plays and what widgets show; proxies are asked to pass it on", async () => {
    const page = await follow();
    const snapshot = await page.next("snapshot");
    expect(page.events[0]).toEqual({ event: "snapshot", data: snapshot });
    const { volume, speech, minimumSeconds, maximumSeconds } = defaults;
    expect(snapshot).toMatchObject({
      role: "player",
      paused: false,
      playback: null,
      settings: { volume, speech, minimumSeconds, maximumSeconds },
      widgets: { goal: null },
    });
    expect(page.headers).toMatchObject({ "cache-control": "no-store", "x-accel-buffering": "no" });
  });

  test("what waited for a page is played when one comes", async () => {
    const { id } = await donate();
    expect(await handed(await follow())).toMatchObject({ donationId: id, replay: false });
  });

  test("a listener gets no playback", async () => {
    await donate();
    const page = await follow({ plays: false });
    expect(await page.next("snapshot")).toMatchObject({ role: "listener", playback: null });
    await page.nothing("playback");
  });
});

describe("a donation", () => {
  test("arrives as it was sent, without its identifier", async () => {
    const page = await follow();
    const identifier = freshIdentifier();
    const sent = await donate({ donatorName: "<b>สมชาย</b>", amount: 123.45, message: "บรรทัด\nใหม่ \u2028 </script>", identifier });
    const playback = await page.next("playback");
    expect(playback).toEqual({
      id: playback.id,
      donationId: sent.id,
      donatorName: sent.donatorName,
      amount: 123.45,
      currency: "THB",
      message: sent.message,
      source: "external",
      speech: playback.speech,
      replay: false,
    });
    await page.next("widgets", ({ recent }) => recent[0]?.donationId === sent.id);
    expect(JSON.stringify(page.events)).not.toContain(identifier);
  });

  test("with skipAlert raises no alert, but widgets change", async () => {
    const page = await follow();
    const { widgets } = await page.next("snapshot");
    const { id } = await donate({ skipAlert: true, amount: 7 });
    const { totals } = await page.next("widgets", ({ recent }) => recent[0]?.donationId === id);
    expect(totals.all.count).toBe(widgets.totals.all.count + 1);
    await page.nothing("playback");
  });

  test("a native one is no different, event by event", async (context) => {
    const operator = operatorOf(context);
    const page = await follow();
    await page.next("snapshot");
    const seen = async () => {
      const playback = await show(page);
      await page.next("widgets", ({ recent }) => recent[0]?.donationId === playback.donationId);
      return playback;
    };
    const donatorName = "ทดสอบ";
    await donate({ donatorName, amount: 321 });
    const external = await seen();
    await addDonation(operator, "native", "promptpay", 321);
    const native = await seen();
    const told = (id: string) =>
      page.events.flatMap(({ event, data }) => (event === "playback" && data.id === id ? [{ ...data, id: "", donationId: "" }] : []));
    expect(told(native.id)).toEqual(told(external.id).map((one) => ({ ...one, source: "native" })));
    for (const { donationId } of [external, native]) expect(found(await get(donationId)).alert.status).toBe("shown");
  });

  test("thirty at once arrive one after the other, in the order of recording, each once", async () => {
    const page = await follow();
    const sent = await Promise.all(Array.from({ length: 30 }, () => donate()));
    const shown = [];
    for (let i = 0; i < sent.length; i += 1) shown.push((await show(page)).donationId);
    expect(shown.toSorted()).toEqual(sent.map(({ id }) => id).sort());
    const recorded = await Promise.all(shown.map(async (id) => found(await get(id)).receivedAt));
    expect(recorded).toEqual(recorded.toSorted());
    await page.nothing("playback");
  });
});

describe("roles", () => {
  test("one browser plays; another stands by and takes over when the first goes", async () => {
    const [first, second] = [await follow(), await follow()];
    expect([(await first.next("snapshot")).role, (await second.next("snapshot")).role]).toEqual(["player", "standby"]);
    const { id } = await donate();
    expect((await show(first)).donationId).toBe(id);
    await second.nothing("playback");
    first.close();
    expect(await second.next("role")).toEqual({ role: "player" });
    const next = await donate();
    expect((await show(second)).donationId).toBe(next.id);
  });

  test("of eight pages at once one plays, and all see the widgets", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => follow()));
    const roles = await Promise.all(pages.map(async (page) => (await page.next("snapshot")).role));
    expect(roles.filter((role) => role === "player")).toHaveLength(1);
    const { id } = await donate({ skipAlert: true });
    for (const page of pages) await page.next("widgets", ({ recent }) => recent[0]?.donationId === id);
  });

  test("a page that reconnects before the start gets the same alert again", async () => {
    const page = await follow();
    await donate();
    const { id } = await page.next("playback");
    page.close();
    const again = await follow({ player: page.player });
    expect((await again.next("snapshot")).playback?.id).toBe(id);
  });

  test("a page that reconnects in mid-play gets the same playback, whether it goes on or begins anew", async () => {
    const page = await follow();
    await donate();
    const { id } = await page.next("playback");
    await acknowledge("started", id, page);
    page.close();
    const second = await follow({ player: page.player, playing: id });
    expect((await second.next("snapshot")).playback?.id).toBe(id);
    second.close();
    const third = await follow({ player: page.player });
    expect((await third.next("snapshot")).playback?.id).toBe(id);
    for (const step of ["started", "ended"] as const) expect((await acknowledge(step, id, third)).status).toBe(200);
    expect((await (await follow({ player: page.player, playing: id })).next("snapshot")).playback).toBeNull();
  });

  test("the same browser once more: the newer connection plays, the older one stops", async () => {
    const page = await follow();
    await donate();
    const { id } = await page.next("playback");
    await acknowledge("started", id, page);
    const newer = await follow({ player: page.player });
    expect(await newer.next("snapshot")).toMatchObject({ role: "player", playback: { id } });
    expect(await page.next("stop")).toEqual({ playbackId: id });
    expect(await page.next("role")).toEqual({ role: "standby" });
  });
});

describe("widgets", () => {
  test("sums, recent and top donators are exact after the last of many donations, in few events", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets;
    const name = freshPlayer().slice(0, 40);
    const sent = [];
    for (let i = 0; i < 40; i += 1)
      sent.push(await donate({ donatorName: name, amount: 1_000_000, skipAlert: true, createdAt: undefined }));
    const last = sent.at(-1)?.id;
    const after = await page.next(
      "widgets",
      ({ recent, totals }) => recent[0]?.donationId === last && totals.all.count === before.totals.all.count + 40,
    );
    for (const span of ["today", "month", "all"] as const) expect(after.totals[span].count - before.totals[span].count).toBe(40);
    expect(after.recent.map(({ donationId }) => donationId)).toEqual(
      sent
        .slice(-10)
        .reverse()
        .map(({ id }) => id),
    );
    expect(after.top.find(({ donatorName }) => donatorName === name)).toMatchObject({ amount: 40_000_000, count: 40 });
    expect(page.events.filter(({ event }) => event === "widgets").length).toBeLessThan(40);
  });

  test("a donation of long ago counts in all, but not today", async () => {
    const page = await follow({ plays: false });
    const before = (await page.next("snapshot")).widgets.totals;
    const { id } = await donate({ skipAlert: true, createdAt: "2001-01-01T00:00Z" });
    const { totals } = await page.next("widgets", ({ recent }) => recent[0]?.donationId === id);
    expect([totals.today, totals.month]).toEqual([before.today, before.month]);
    expect(totals.all.count).toBe(before.all.count + 1);
  });

  test("the goal counts from its day on, and is shown as soon as it is set", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    const day = "9990-01-01"; // nobody else donates then
    const first = await donate({ skipAlert: true, amount: 1.5, createdAt: "9989-12-31T16:59:59.999Z" });
    await change({ goal: { title: "ไมค์", target: 100, from: day } });
    const before = await page.next("widgets", ({ goal }) => goal !== null);
    expect(before.goal).toMatchObject({ title: "ไมค์", target: 100 });
    const { id } = await donate({ skipAlert: true, amount: 2.5, createdAt: "9989-12-31T17:00:00Z" });
    const after = await page.next("widgets", ({ recent }) => recent[0]?.donationId === id);
    expect((after.goal?.current ?? 0) - (before.goal?.current ?? 0)).toBe(2.5);
    expect(first.amount).toBe(1.5);
    await change({ goal: null });
    await page.next("widgets", ({ goal }) => goal === null);
  });

  test("test alerts change nothing in them", async () => {
    const page = await follow({ plays: false });
    await page.next("snapshot");
    await sendTest({});
    await donate({ skipAlert: true, donatorName: "ของจริง" });
    const { recent } = await page.next("widgets", (widgets) => widgets.recent[0]?.donatorName === "ของจริง");
    expect(recent.map(({ donatorName }) => donatorName)).not.toContain("Namjai");
  });
});

test("every streamer has a stream of their own", async (context) => {
  await freshQueue({ key: keyOf(context, "other") });
  const other = await follow({ key: keyOf(context, "otherOverlay") });
  const { id } = await donate();
  await other.nothing("playback");
  await donate({ skipAlert: true }, { key: keyOf(context, "other") });
  const { recent } = await other.next("widgets");
  expect(recent.map(({ donationId }) => donationId)).not.toContain(id);
});

describe("processes", () => {
  let second: Process | null = null;
  beforeAll(async () => {
    const { operator } = target();
    second = operator && (await startProcess(operator, "overlay"));
  });
  afterAll(() => second?.stop());

  test("a donation posted to one is shown on the other, acknowledged at either, and shown once", async (context) => {
    operatorOf(context);
    const page = await follow();
    const server = second?.url ?? "";
    const standby = await follow({ server });
    expect(await standby.next("snapshot")).toMatchObject({ role: "standby" });
    const { id } = await donate({}, { server });
    const playback = await page.next("playback");
    expect(playback.donationId).toBe(id);
    expect((await acknowledge("started", playback.id, { ...page, server })).status).toBe(200);
    expect((await acknowledge("ended", playback.id, page)).status).toBe(200);
    page.close();
    expect(await standby.next("role")).toEqual({ role: "player" });
    await standby.nothing("playback");
  });

  test("when a server stops its streams end, and the player goes on at another", async (context) => {
    const operator = operatorOf(context);
    const leaving = await startProcess(operator, "leaving");
    const page = await follow({ server: leaving.url });
    await donate();
    const { id } = await page.next("playback");
    await acknowledge("started", id, page);
    const stopped = leaving.stop();
    await page.ended;
    const again = await follow({ player: page.player, playing: id });
    expect((await again.next("snapshot")).playback?.id).toBe(id);
    expect((await acknowledge("ended", id, again)).status).toBe(200);
    await stopped;
  });

  test("when a server is killed the player goes on at another, and nothing is lost", async (context) => {
    const operator = operatorOf(context);
    const killed = await startProcess(operator, "killed");
    const page = await follow({ server: killed.url });
    const [first, next] = [await donate(), await donate()];
    const { id, donationId } = await page.next("playback");
    expect(donationId).toBe(first.id);
    await acknowledge("started", id, page);
    await killed.kill();
    const again = await follow({ player: page.player, playing: id });
    expect((await again.next("snapshot")).playback?.id).toBe(id);
    expect((await acknowledge("ended", id, again)).status).toBe(200);
    expect((await show(again)).donationId).toBe(next.id);
  });
});

test("the queue says that nobody is connected once all have gone", async () => {
  await expect.poll(async () => queueOf(await queue()).connected).toBe(false);
});

test("an idle stream says something at least every 15 seconds", async (context) => {
  if (!idle) return context.skip("not run: OTHER_OVERLAY_KEY is not set");
  const { comments } = idle;
  await expect.poll(comments, { timeout: Math.max(1, idleSince + 15_500 - Date.now()), interval: 50 }).toBeGreaterThan(0);
});
