// The queue of alerts: what waits in it, its pause, and what waits for the streamer's choice.

import { afterEach, beforeEach, expect, test } from "vitest";
import { get, readDonation } from "../../suite/client/api.ts";
import {
  change,
  control,
  decide,
  donate,
  freshQueue,
  queue,
  queueOf,
  replay,
  sendTest,
} from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, type Page, show } from "../../suite/client/overlay/overlay-page.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const now = async () => queueOf(await queue());

test("an empty queue is answered with nothing playing, nothing waiting and nothing held", async () => {
  const nothing = { playing: null, waiting: [], waitingCount: 0, held: [], heldCount: 0 };
  const { overlays: _, ...queue } = await now(); // the rules of leadOverlay are about them
  expect(queue).toEqual({ paused: false, asking: false, hidden: false, connected: false, ...nothing });
});

test("each control answers the queue as it is read afterwards", async () => {
  await change({ approval: "all" });
  const [one, two, three] = [await donate(), await donate(), await donate()];
  await expect.poll(async () => (await now()).heldCount).toBe(3);
  const controls = [
    () => control("pause"),
    ...(["approve", "next", "skip"] as const).map((name) => () => decide(one.id, name)),
    () => decide(two.id, "mask"),
    () => decide(three.id, "deny"),
    ...(["hide", "unhide", "resume", "clear"] as const).map((name) => () => control(name)),
  ];
  /** Speech may be ready in the meantime. */
  const withoutStatus = (data: object) => JSON.parse(JSON.stringify(data, (name, value) => (name === "status" ? undefined : value)));
  for (const ask of controls) expect(withoutStatus(queueOf(await ask()))).toEqual(withoutStatus(await now()));
});

test("waiting donations are shown in the order of recording, each as it was sent, without its identifier, even while no overlay is connected", async () => {
  const first = await donate({ donatorName: "ก", amount: 0.1005, message: "หนึ่ง", identifier: "secret", createdAt: "2020-01-01T00:00Z" });
  const second = await donate({ createdAt: "2010-01-01T00:00Z" });
  const { waiting, waitingCount } = await now();
  expect(waiting[0]).toEqual({
    playbackId: null,
    donationId: first.id,
    donatorName: "ก",
    amount: 0.1005,
    currency: "THB",
    message: "หนึ่ง",
    source: "external",
    status: "queued",
    replay: false,
    masked: false,
  });
  expect([waiting.map(({ donationId }) => donationId), waitingCount]).toEqual([[first.id, second.id], 2]);
});

test("a donation with skipAlert is not in the queue; a test alert is", async () => {
  await donate({ skipAlert: true });
  await sendTest({});
  expect((await now()).waiting.map(({ source }) => source)).toEqual(["test"]);
});

test("a long queue shows the first 50 waiting alerts and counts all of them", async () => {
  const all = [];
  for (let i = 0; i < 53; i += 1) all.push((await donate()).id);
  const { waiting, waitingCount } = await now();
  expect([waiting.map(({ donationId }) => donationId), waitingCount]).toEqual([all.slice(0, 50), 53]);
});

test("an alert that was handed to an overlay is shown as playing, the others as waiting", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [first, second] = [await donate({ donatorName: " a ", message: "b\r\n", amount: 12.5005 }), await donate()];
  const { id } = await page.next("playback");
  const { donatorName, message, amount } = first;
  const playing = { playbackId: id, donationId: first.id, donatorName, message, amount, status: "leased" };
  expect(await now()).toMatchObject({ playing, waitingCount: 1 });
  await acknowledge("started", id, page);
  expect(await now()).toMatchObject({ playing: { status: "playing" }, waiting: [{ donationId: second.id }] });
  await acknowledge("ended", id, page);
  await page.next("playback");
  expect(await now()).toMatchObject({ playing: { donationId: second.id }, waitingCount: 0 });
});

test("connected is true while an overlay could play; widgets do not count", async (context) => {
  const key = overlayKeyOf(context);
  const widget = await follow({ key, plays: false });
  await widget.next("snapshot");
  expect((await now()).connected).toBe(false);
  const page = await follow({ key });
  await page.next("snapshot");
  expect((await now()).connected).toBe(true);
  page.close();
  await expect.poll(async () => (await now()).connected).toBe(false);
});

test("every streamer has a queue of their own", async (context) => {
  const other = { key: keyOf(context, "other") };
  await freshQueue(other);
  await donate();
  expect(queueOf(await queue(other)).waitingCount).toBe(0);
});

test("pausing answers the queue as paused; repeating it changes nothing", async () => {
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("pause"))).toMatchObject({ paused: true });
  expect(queueOf(await queue())).toMatchObject({ paused: true });
});

test("a paused queue begins no new alert, and donations go on waiting", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await control("pause");
  expect(await page.next("settings")).toMatchObject({ paused: true });
  const { id } = await donate();
  await page.expectNothing("playback");
  expect(queueOf(await queue())).toMatchObject({ playing: null, waiting: [{ donationId: id }] });
});

test("pausing lets the playing alert end", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await donate();
  const { id } = await page.next("playback");
  await donate();
  await control("pause");
  for (const [step, status] of [
    ["started", "playing"],
    ["ended", "shown"],
  ] as const)
    expect((await acknowledge(step, id, page)).body).toEqual({ data: { id, status } });
  await page.expectNothing("playback");
});

test("a page that connects during a pause is told that the queue is paused", async (context) => {
  await control("pause");
  await donate();
  const page = await follow({ key: overlayKeyOf(context) });
  expect(await page.next("snapshot")).toMatchObject({ paused: true, playback: null });
});

test("resuming answers the queue as not paused; repeating it changes nothing", async () => {
  await control("pause");
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("resume"))).toMatchObject({ paused: false });
});

test("resuming keeps every alert that waits, also while no overlay is connected", async () => {
  await control("pause");
  for (let i = 0; i < 20; i += 1) await donate();
  const before = queueOf(await queue());
  expect(queueOf(await control("resume"))).toEqual({ ...before, paused: false });
  expect(before.waitingCount).toBe(20);
});

test("resuming plays the alerts that waited meanwhile, in order", async (context) => {
  await control("pause");
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 20; i += 1) donations.push(await donate()); // more than a server prepares ahead
  const waiting = queueOf(await queue()).waiting.map(({ donationId }) => donationId);
  expect(waiting).toEqual(donations.map(({ id }) => id));
  await control("resume");
  expect(await page.next("settings")).toMatchObject({ paused: false });
  for (const { id } of donations) expect((await show(page)).donationId).toBe(id);
});

const alertOf = async (id: string) => readDonation(await get(id)).alert;

test("clearing skips every waiting alert and keeps its donation recorded", async () => {
  const donations = [];
  for (let i = 0; i < 8; i += 1) donations.push(await donate());
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("clear"))).toMatchObject({ waiting: [], waitingCount: 0 });
  for (const { id } of donations) expect(await alertOf(id)).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });
});

test("clearing lets the playing alert end, and later alerts are played", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 6; i += 1) donations.push(await donate());
  const playing = await page.next("playback");
  expect(queueOf(await control("clear"))).toMatchObject({ playing: { donationId: donations[0]?.id }, waitingCount: 0 });
  const later = await donate();
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, playing.id, page)).status).toBe(200);
  expect((await show(page)).donationId).toBe(later.id);
});

test("clearing skips waiting replays as well", async () => {
  const { id } = await donate({ skipAlert: true });
  await replay(id);
  queueOf(await control("clear"));
  expect(await alertOf(id)).toMatchObject({ status: "skipped", reason: "control" });
});

async function donations(count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i += 1) ids.push((await donate()).id);
  return ids;
}

/** Plays so many alerts, the first of which may be in the snapshot. */
async function shownFrom(page: Page, count: number): Promise<string[]> {
  const { id, donationId } = await firstPlayback(page);
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, id, page)).status).toBe(200);
  return [donationId, ...(await shown(page, count - 1))];
}

async function shown(page: Page, count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i += 1) ids.push((await show(page)).donationId);
  return ids;
}

const left = () => expect.poll(async () => queueOf(await queue()).connected).toBe(false);

test("askFrom alerts that came while no overlay was connected pause the queue, through a reload, until it is resumed; then all play in order", async (context) => {
  await change({ askFrom: 3 });
  const ids = await donations(3);
  expect(queueOf(await queue())).toMatchObject({ paused: false, asking: false });
  const first = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ paused: true, asking: true, playing: null, waitingCount: 3 });
  await first.expectNothing("playback");
  closePages();
  const page = await follow({ key: overlayKeyOf(context) });
  expect(await page.next("snapshot")).toMatchObject({ paused: true, playback: null });
  const later = await donations(1);
  await page.expectNothing("playback");
  expect(queueOf(await control("resume"))).toMatchObject({ paused: false, asking: false });
  expect(await shown(page, 4)).toEqual([...ids, ...later]);
});

test("clearing a queue that asks skips what waits and resumes it: later alerts play", async (context) => {
  await change({ askFrom: 2 });
  await donations(5);
  const page = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ asking: true, waitingCount: 5 });
  expect(queueOf(await control("clear"))).toMatchObject({ paused: false, asking: false, waitingCount: 0 });
  const later = await donations(2);
  expect(await shown(page, 2)).toEqual(later);
});

test("fewer alerts than askFrom, and any number with askFrom 0, play as soon as an overlay connects", async (context) => {
  for (const askFrom of [3, 0]) {
    await change({ askFrom });
    const ids = await donations(askFrom === 0 ? 4 : 2);
    const page = await follow({ key: overlayKeyOf(context) });
    expect(await shownFrom(page, ids.length)).toEqual(ids);
    closePages();
    await left();
  }
});

test("alerts that wait since an overlay was connected ask nothing when it reconnects", async (context) => {
  await change({ askFrom: 2 });
  const page = await follow({ key: overlayKeyOf(context) });
  const ids = await donations(4);
  await page.next("playback");
  closePages();
  await left();
  const again = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ paused: false, asking: false });
  expect(await shownFrom(again, 4)).toEqual(ids);
});

test("a queue that asks goes on by itself once none of its alerts waits any more, and pausing it makes it an ordinary pause", async (context) => {
  await change({ askFrom: 2 });
  const ids = await donations(2);
  const page = await follow({ key: overlayKeyOf(context) });
  for (const id of ids) queueOf(await decide(id, "skip"));
  await expect.poll(async () => queueOf(await queue())).toMatchObject({ paused: false, asking: false });
  const [next] = await donations(1);
  expect(await shown(page, 1)).toEqual([next]);
  closePages();
  await left();
  const others = await donations(2);
  const again = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ asking: true });
  expect(queueOf(await control("pause"))).toMatchObject({ paused: true, asking: false });
  for (const id of others) queueOf(await decide(id, "skip"));
  expect(queueOf(await control("clear"))).toMatchObject({ paused: true });
  await again.expectNothing("playback");
});
