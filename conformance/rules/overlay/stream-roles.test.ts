import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { donate, freshQueue, latestCreatedAt } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { type Process, startProcess } from "../../suite/servers/start-server.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// Which of several connected pages plays, on one process and on several.

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

describe("roles", () => {
  test("one page leads; another stands by and leads when the first disconnects", async () => {
    const [first, second] = [await follow(), await follow()];
    expect([(await first.next("snapshot")).role, (await second.next("snapshot")).role]).toEqual(["player", "standby"]);
    const { id } = await donate();
    expect((await show(first)).donationId).toBe(id);
    await second.next("stop");
    first.close();
    expect(await second.next("role")).toEqual({ role: "player" });
    const next = await donate();
    const { id: playback } = await second.next("playback", ({ donationId }) => donationId === next.id);
    for (const step of ["started", "ended"] as const) expect((await acknowledge(step, playback, second)).status).toBe(200);
  });

  test("eight pages connect concurrently: one plays, and all get the widgets", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => follow()));
    const roles = await Promise.all(pages.map(async (page) => (await page.next("snapshot")).role));
    expect(roles.filter((role) => role === "player")).toHaveLength(1);
    const { id } = await donate({ skipAlert: true, createdAt: latestCreatedAt() });
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

  test("a player that connects again takes over from its own older connection", async () => {
    const page = await follow();
    await donate();
    const { id } = await page.next("playback");
    await acknowledge("started", id, page);
    const newer = await follow({ player: page.player });
    expect(await newer.next("snapshot")).toMatchObject({ role: "player", playback: { id } });
    expect(await page.next("role")).toEqual({ role: "standby" });
  });
});

describe("processes", () => {
  let second: Process | null = null;
  beforeAll(async () => {
    const { operator } = target();
    second = operator && (await startProcess(operator, "overlay"));
  });
  afterAll(() => second?.stop());

  test("a donation posted to one process is shown on the other, acknowledged at either, and shown once", async (context) => {
    operatorOf(context);
    const page = await follow();
    const server = second?.url ?? "";
    const standby = await follow({ server });
    expect(await standby.next("snapshot")).toMatchObject({ role: "standby" });
    const { id } = await donate({}, { server });
    const playback = await page.next("playback");
    expect(playback.donationId).toBe(id);
    expect((await acknowledge("started", playback.id, { ...page, server })).status).toBe(200);
    expect(await standby.next("playback", ({ elapsedMs }) => elapsedMs !== null)).toMatchObject({ id: playback.id });
    expect((await acknowledge("ended", playback.id, page)).status).toBe(200);
    expect(await standby.next("stop")).toEqual({ playbackId: playback.id });
    page.close();
    expect(await standby.next("role")).toEqual({ role: "player" });
    await standby.expectNothing("playback");
  });

  test("a server that stops ends its streams, and the player goes on at another", async (context) => {
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

  test("a server that is killed loses nothing: the player goes on at another", async (context) => {
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
