import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  create,
  type Donation,
  expectNow,
  expectProblem,
  get,
  listAll,
  readDonation,
  recorded,
  replayed,
  searchAll,
  takeBack,
} from "../../suite/client/api.ts";
import { type Event, endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { newStreamer } from "../../suite/client/operator.ts";
import {
  alertDataOf,
  change,
  control,
  donate,
  freshQueue,
  queue,
  queueOf,
  replay,
  sendTest,
} from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import { emptyDays, report } from "../../suite/models/reports.ts";
import { type Body, fullDonation } from "../../suite/values/donations.ts";

// Every operation that answers a donation answers its alert as it stands now, a repeated idempotency key included.

beforeEach(() => freshQueue());
afterEach(() => closePages());

type Alert = Partial<Donation["alert"]>;
type Raised = { body: Body; id: string; day: string };

/** Records a donation that has a day and an identifier of its own. */
async function raise(members: Body = {}): Promise<Raised> {
  const [day = ""] = await emptyDays(1);
  const body = { ...fullDonation(), skipAlert: false, createdAt: `${day}T12:00+07:00`, ...members };
  return { body, id: recorded(await create(body)).id, day };
}

/** Expects every operation to answer this alert, and all of them the same. */
async function expectAlert({ body, id, day }: Raised, expected: Alert): Promise<Donation["alert"]> {
  const { alert } = readDonation(await get(id));
  expect(alert).toMatchObject(expected);
  const identifier = String(body.identifier);
  const { largest, latest } = await report("stats", { from: day, to: day });
  expect(replayed(await create(body)).alert, "the answer to the repeated idempotencyKey").toEqual(alert);
  expect((await listAll({ identifier }))[0]?.alert, "the list").toEqual(alert);
  expect((await searchAll({ q: identifier, identifier }))[0]?.alert, "the search").toEqual(alert);
  expect([largest?.alert, latest?.alert], "the stats").toEqual([alert, alert]);
  return alert;
}

const succeed = async (reply: ReturnType<typeof create>, status = 200): Promise<void> => expect((await reply).status).toBe(status);

test("lists and a replay of the idempotencyKey show an alert as it stands now: waiting, playing, shown, shown again", async (context) => {
  const raised = await raise();
  await expectAlert(raised, { status: "queued", reason: null, shownAt: null, masked: false });
  await control("pause");
  const page = await follow({ key: overlayKeyOf(context) });
  await control("resume");
  const first = await page.next("playback");
  await expectAlert(raised, { status: "leased", reason: null, shownAt: null, masked: false });
  await succeed(acknowledge("started", first.id, page));
  await expectAlert(raised, { status: "playing", reason: null, shownAt: null, masked: false });
  const ended = await acknowledge("ended", first.id, page);
  expect(ended.status).toBe(200);
  const { shownAt } = await expectAlert(raised, { status: "shown", reason: null });
  expectNow(shownAt, ended);
  await succeed(replay(raised.id), 201);
  const second = await page.next("playback");
  await expectAlert(raised, { status: "leased", shownAt });
  await succeed(acknowledge("ended", second.id, page));
  await expectAlert(raised, { status: "shown", reason: null, shownAt, masked: false });
});

test("lists and a replay of the idempotencyKey show an alert as it stands now: skipped while it plays", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const raised = await raise();
  await succeed(acknowledge("started", (await page.next("playback")).id, page));
  await expectAlert(raised, { status: "playing" });
  queueOf(await control("skip"));
  await expectAlert(raised, { status: "skipped", reason: "control", shownAt: null, masked: false });
});

test("lists and a replay of the idempotencyKey show an alert as it stands now: cleared, replayed, cleared again", async () => {
  const raised = await raise();
  for (let round = 0; round < 2; round += 1) {
    queueOf(await control("clear"));
    await expectAlert(raised, { status: "skipped", reason: "control", shownAt: null, masked: false });
    await succeed(replay(raised.id), 201);
    const { status } = await expectAlert(raised, { reason: null, shownAt: null });
    expect(status).toBeOneOf(["preparing", "queued"]);
  }
});

test("lists and a replay of the idempotencyKey show an alert as it stands now: asked for none, then replayed", async () => {
  const raised = await raise({ skipAlert: true });
  await expectAlert(raised, { status: "skipped", reason: "skip_alert", shownAt: null, masked: false });
  await succeed(replay(raised.id), 201);
  await expectAlert(raised, { reason: null, shownAt: null });
});

test.each([
  ["below_minimum", { minimumAmount: 1000 }, {}],
  ["filtered", { blockedWords: ["สแปม"] }, { message: "สแปม" }],
] as const)(
  "lists and a replay of the idempotencyKey show an alert as it stands now: %s by settings that changed while it waited",
  async (reason, settings, members) => {
    const raised = await raise(members);
    await expectAlert(raised, { status: "queued", reason: null });
    await change(settings);
    await follow();
    await expect.poll(async () => readDonation(await get(raised.id)).alert.status).toBe("skipped");
    await expectAlert(raised, { status: "skipped", reason, shownAt: null, masked: false });
  },
);

// What becomes of the alert of a donation that is voided, and of the figures on stream.

beforeEach(() => freshQueue());
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

test("the donation of a test alert can be voided: its alert is skipped, reports of tests leave it out, and the events of both are tests", async (context) => {
  const key = streamer(context);
  const figures = async () => {
    const { count, total } = await report("stats", { source: "test" }, { key });
    return { count, total };
  };
  const one = recorded(await sendTest({ amount: 4_321 }, { key }));
  expect(await figures()).toEqual({ count: 1, total: 4_321 });
  expect(await takeBack(one, "test", { key })).toMatchObject({ source: "test", alert: voidedAlert });
  expect(await figures()).toEqual({ count: 0, total: 0 });
  const told = await listAllEvents({ types: ["alert.skipped", "donation.voided"] }, { key });
  expect(told.slice(-2).map(({ data }) => "isTest" in data && data.isTest)).toEqual([true, true]);
});

test("the log tells first that the alert was skipped, and then that the donation is void, with the donation as it stood then", async () => {
  await control("pause");
  const one = await donate();
  const end = await endOfLog();
  const voided = await takeBack(one, "fraud");
  const isOf = ({ data }: Event) => ("donationId" in data ? data.donationId : "id" in data && data.id) === one.id;
  const told = (await listAllEvents({ after: end })).filter(isOf);
  expect(told.map(({ type }) => type)).toEqual(["alert.skipped", "donation.voided"]);
  expect(told[0]?.data).toEqual({ ...alertDataOf(one), status: "skipped", reason: "voided" });
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
