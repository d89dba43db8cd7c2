import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectProblem, get, readDonation, recorded, takeBack } from "../../suite/client/api.ts";
import { type Event, endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import { change, control, donate, freshQueue, queue, queueOf, replay, sendTest } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { report } from "../../suite/models/report-requests.ts";

// What becomes of the alert of a donation that is voided, and of the figures on stream.

beforeEach(() => freshQueue());
afterEach(() => closePages());

const streamer = newStreamer();

const alertOf = async ({ id }: Donation) => readDonation(await get(id)).alert;
const voidedAlert = { status: "skipped", reason: "voided", shownAt: null, masked: false };

test("a waiting alert whose donation is voided is skipped for the reason voided, and the one after it is shown", async (context) => {
  await control("pause");
  const [one, next] = [await donate(), await donate()];
  expect((await takeBack(one)).alert).toEqual(voidedAlert);
  expect(queueOf(await queue()).waiting.map(({ donationId }) => donationId)).toEqual([next.id]);
  await control("resume");
  const page = await follow({ key: overlayKeyOf(context) });
  const playback = await firstPlayback(page);
  expect(playback.donationId).toBe(next.id);
  await acknowledge("ended", playback.id, page);
  await page.expectNothing("playback");
  expect(await alertOf(one)).toEqual(voidedAlert);
});

test("a playing alert whose donation is voided is stopped on the overlay, and the next one follows", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [one, next] = [await donate(), await donate()];
  const playing = await page.next("playback");
  await acknowledge("started", playing.id, page);
  expect((await takeBack(one)).alert).toEqual(voidedAlert);
  expect(await page.next("stop")).toMatchObject({ playbackId: playing.id });
  expect((await show(page)).donationId).toBe(next.id);
  expect((await acknowledge("ended", playing.id, page)).status).toBe(409);
  expect(await alertOf(one)).toEqual(voidedAlert);
});

test("an alert that was shown stays shown when its donation is voided, and a replay of it is refused with alert_state_conflict", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const one = await donate();
  await show(page);
  expect((await takeBack(one)).alert).toMatchObject({ status: "shown", shownAt: expect.any(String) });
  expectProblem(await replay(one.id), 409, "alert_state_conflict");
  await page.expectNothing("playback");
});

test("a replay that waits ends when its donation is voided, and none can be requested afterwards", async () => {
  await control("pause");
  const one = await donate({ skipAlert: true });
  expect((await replay(one.id)).status).toBe(201);
  expect((await takeBack(one)).alert).toEqual(voidedAlert);
  expect(queueOf(await queue()).waiting).toEqual([]);
  expectProblem(await replay(one.id), 409, "alert_state_conflict");
});

test("voiding a donation without an alert leaves its alert as it was, and tells nothing of an alert", async () => {
  const one = await donate({ skipAlert: true });
  const end = await endOfLog();
  expect((await takeBack(one)).alert).toEqual({ status: "skipped", reason: "skip_alert", shownAt: null, masked: false });
  const told = (await listAllEvents({ after: end })).filter(({ data }) => "id" in data && data.id === one.id);
  expect(told.map(({ type }) => type)).toEqual(["donation.voided"]);
  expectProblem(await replay(one.id), 409, "alert_state_conflict");
});

test("the donation of a test alert can be voided: its alert is skipped, and reports of tests leave it out", async (context) => {
  const key = streamer(context);
  const figures = async () => {
    const { count, total } = await report("stats", { source: "test" }, { key });
    return { count, total };
  };
  const one = recorded(await sendTest({ amount: 4_321 }, { key }));
  expect(await figures()).toEqual({ count: 1, total: 4_321 });
  expect(await takeBack(one, "test", { key })).toMatchObject({ source: "test", alert: voidedAlert });
  expect(await figures()).toEqual({ count: 0, total: 0 });
});

test("the log tells first that the alert was skipped, and then that the donation is void, with the donation as it stood then", async () => {
  await control("pause");
  const one = await donate();
  const end = await endOfLog();
  const voided = await takeBack(one, "fraud");
  const isOf = ({ data }: Event) => ("donationId" in data ? data.donationId : "id" in data && data.id) === one.id;
  const told = (await listAllEvents({ after: end })).filter(isOf);
  expect(told.map(({ type }) => type)).toEqual(["alert.skipped", "donation.voided"]);
  expect(told[0]?.data).toMatchObject({ status: "skipped", reason: "voided" });
  expect(told[1]?.data).toEqual({ ...voided, isTest: false, isReplay: false, isImported: false });
  expect(told[1]?.timestamp).toBe(voided.voided?.at);
});

/** Enough for a server that sums up in the background to have done so. */
const summedUpMs = 4_000;

test.each([
  { when: "at once", waitMs: 0 },
  { when: "some seconds later", waitMs: summedUpMs },
])("the widgets and the goal leave a donation that is voided $when out from their next update", async ({ waitMs }) => {
  const goal = { title: "ไมค์", target: 1_000_000_000, from: "2001-01-01" };
  await change({ goal });
  const page = await follow({ plays: false });
  const { count } = (await page.next("snapshot")).widgets.totals.all;
  const one = await donate({ donatorName: "Widget donator", amount: 777_777.25, skipAlert: true });
  const counts = (donations: number) => (widgets: { totals: { all: { count: number } } }) => widgets.totals.all.count === donations;
  const before = await page.next("widgets", counts(count + 1));
  await sleep(waitMs);
  await takeBack(one);
  const after = await page.next("widgets", counts(count));
  expect(after.recent.map(({ donationId }) => donationId)).not.toContain(one.id);
  const [was, is] = [before.totals, after.totals];
  for (const span of ["today", "month", "all"] as const) {
    expect(is[span].amount).toBeCloseTo(was[span].amount - 777_777.25, 2);
    expect(is[span].count).toBe(was[span].count - 1);
  }
  expect(after.goal?.current).toBeCloseTo((before.goal?.current ?? 0) - 777_777.25, 2);
  expect(after.top.filter(({ donatorName }) => donatorName === "Widget donator")).toEqual([]);
});
