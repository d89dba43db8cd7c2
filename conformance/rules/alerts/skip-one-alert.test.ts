import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { endOfLog, eventPageOf, listEvents } from "../../suite/client/events/event-stream.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const alertOf = async ({ id }: Donation) => readDonation(await get(id)).alert;
const skipped = { status: "skipped", reason: "control", shownAt: null, masked: false };

test("a waiting alert that is skipped is never played, those before and after it are, and its donation stays", async (context) => {
  await control("pause");
  const [first, one, last] = [await donate(), await donate(), await donate()];
  const { waiting, waitingCount } = queueOf(await decide(one.id, "skip"));
  expect([waiting.map(({ donationId }) => donationId), waitingCount]).toEqual([[first.id, last.id], 2]);
  expect(await alertOf(one)).toEqual(skipped);
  const page = await follow({ key: overlayKeyOf(context) });
  await control("resume");
  expect([(await show(page)).donationId, (await show(page)).donationId]).toEqual([first.id, last.id]);
  await page.expectNothing("playback");
});

test("an alert is skipped in each place of the queue: behind the ones whose speech is made, and as a replay", async (context) => {
  await control("pause");
  await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 6; i += 1) donations.push(await donate());
  const again = await donate({ skipAlert: true });
  expect((await replay(again.id)).status).toBe(201);
  for (const { id } of [again, ...donations.toReversed()]) queueOf(await decide(id, "skip"));
  expect(queueOf(await queue())).toMatchObject({ waiting: [], waitingCount: 0 });
  for (const donation of [again, ...donations]) expect(await alertOf(donation)).toEqual(skipped);
});

test("skipping the alert that plays stops it, and skipping another one leaves it on screen", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [playing, waiting, last] = [await donate(), await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  expect(queueOf(await decide(waiting.id, "skip")).playing?.donationId).toBe(playing.id);
  queueOf(await decide(playing.id, "skip"));
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect((await show(page)).donationId).toBe(last.id);
});

test("an alert that is skipped again stays skipped with one event, also when both are sent at once", async () => {
  const { id } = await donate();
  const after = await endOfLog();
  for (const reply of await Promise.all([decide(id, "skip"), decide(id, "skip")])) queueOf(reply);
  queueOf(await decide(id, "skip"));
  const { data } = eventPageOf(await listEvents({ after, types: ["alert.skipped"] }));
  expect(data).toMatchObject([{ type: "alert.skipped", data: { donationId: id, reason: "control", isReplay: false } }]);
});

test("an alert that is held, was shown, denied or wanted none is not skipped: alert_state_conflict", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [shown, denied, unwanted] = [await donate(), await donate(), await donate({ skipAlert: true })];
  await decide(denied.id, "deny");
  await show(page);
  await change({ approval: "all" });
  const held = await donate();
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
  for (const { id } of [shown, denied, unwanted, held]) expectProblem(await decide(id, "skip"), 409, "alert_state_conflict");
  expect(queueOf(await queue()).heldCount).toBe(1);
});
