import { afterEach, beforeEach, expect, test } from "vitest";
import { get, readDonation } from "../../suite/client/api.ts";
import { control, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(async () => {
  closePages();
  await control("unhide");
});

test("hiding answers the queue as hidden; repeating it changes nothing", async () => {
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("hide"))).toMatchObject({ hidden: true, paused: false });
  expect(queueOf(await queue())).toMatchObject({ hidden: true });
});

test("hiding stops the playing alert, tells every open page and widget at once, and ends the alert for the reason control", async (context) => {
  const key = overlayKeyOf(context);
  const [page, standby, widget] = [await follow({ key }), await follow({ key }), await follow({ key, plays: false })];
  const { id: donationId } = await donate();
  const playing = await page.next("playback");
  await acknowledge("started", playing.id, page);
  expect(queueOf(await control("hide"))).toMatchObject({ hidden: true, playing: null });
  expect(await page.next("stop")).toEqual({ playbackId: playing.id });
  for (const open of [page, standby, widget]) expect(await open.next("settings")).toMatchObject({ hidden: true });
  expect(readDonation(await get(donationId)).alert).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });
  expect((await acknowledge("ended", playing.id, page)).status).toBe(409);
});

test("while everything is hidden no alert starts, neither a donation's nor a replay, and a page that connects is told", async (context) => {
  await control("hide");
  const waiting = await donate();
  const replayed = await donate({ skipAlert: true });
  expect((await replay(replayed.id)).status).toBe(201);
  const page = await follow({ key: overlayKeyOf(context) });
  expect(await page.next("snapshot")).toMatchObject({ hidden: true, playback: null });
  await page.expectNothing("playback");
  expect(queueOf(await queue()).waiting.map(({ donationId }) => donationId)).toEqual([replayed.id, waiting.id]);
});

test("pausing and resuming do not end hiding", async (context) => {
  await control("hide");
  await donate();
  const page = await follow({ key: overlayKeyOf(context) });
  await control("pause");
  expect(queueOf(await control("resume"))).toMatchObject({ hidden: true, paused: false });
  await page.expectNothing("playback");
});

test("hiding ends nothing that waits: when it is ended, waiting alerts play in their order", async (context) => {
  await control("hide");
  const [one, two] = [await donate(), await donate()];
  const page = await follow({ key: overlayKeyOf(context) });
  await page.expectNothing("playback");
  await control("unhide");
  for (const { id } of [one, two]) expect((await show(page)).donationId).toBe(id);
});

test("what was hidden can be replayed by hand, and is not repeated by itself", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const { id } = await donate();
  await acknowledge("started", (await page.next("playback")).id, page);
  await control("hide");
  await control("unhide");
  await page.expectNothing("playback");
  expect((await replay(id)).status).toBe(201);
  expect((await page.next("playback")).donationId).toBe(id);
});

test("an alert that was playing when everything was hidden is not shown again after its page has reconnected", async (context) => {
  const key = overlayKeyOf(context);
  const page = await follow({ key });
  await donate();
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  page.close();
  await control("hide");
  const again = await follow({ key, player: page.player, playing: id });
  expect((await again.next("snapshot")).playback).toBeNull();
  const next = await donate();
  await control("unhide");
  expect((await show(again)).donationId).toBe(next.id);
});

afterEach(() => closePages());

test("ending hiding answers the queue as not hidden; repeating it changes nothing", async () => {
  await control("hide");
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("unhide"))).toMatchObject({ hidden: false });
});

test("ending hiding tells open pages, and does not resume a paused queue", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await control("pause");
  await control("hide");
  await page.next("settings", ({ hidden }) => hidden);
  await donate();
  expect(queueOf(await control("unhide"))).toMatchObject({ hidden: false, paused: true, waitingCount: 1 });
  expect(await page.next("settings", ({ hidden }) => !hidden)).toMatchObject({ paused: true });
  await page.expectNothing("playback");
});
