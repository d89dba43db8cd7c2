import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { change, control, decide, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const alertOf = async ({ id }: Donation) => readDonation(await get(id)).alert;
const denied = { status: "skipped", reason: "denied", shownAt: null, masked: false };

test("a denied held alert is never played, and a second decision is refused; only a replay by hand shows it", async (context) => {
  await change({ approval: "all" });
  const page = await follow({ key: overlayKeyOf(context) });
  const one = await donate();
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
  expect(queueOf(await decide(one.id, "deny"))).toMatchObject({ held: [], heldCount: 0 });
  expect(await alertOf(one)).toEqual(denied);
  for (const name of ["approve", "mask", "deny"] as const) expectProblem(await decide(one.id, name), 409, "alert_state_conflict");
  await page.expectNothing("playback");
  expect((await replay(one.id)).status).toBe(201);
  expect((await show(page)).donationId).toBe(one.id);
});

test("denying ends an alert that waits, and stops one that plays: the next one follows", async (context) => {
  await control("pause");
  const [waiting, playing, last] = [await donate(), await donate(), await donate()];
  expect(queueOf(await decide(waiting.id, "deny")).waitingCount).toBe(2);
  const page = await follow({ key: overlayKeyOf(context) });
  await control("resume");
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  await decide(playing.id, "deny");
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect((await acknowledge("ended", id, page)).status).toBe(409);
  expect((await show(page)).donationId).toBe(last.id);
  expect([await alertOf(waiting), await alertOf(playing)]).toEqual([denied, denied]);
});

test("denying an alert that was shown or wanted none is refused with alert_state_conflict", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [shown, unwanted] = [await donate(), await donate({ skipAlert: true })];
  await show(page);
  for (const { id } of [shown, unwanted]) expectProblem(await decide(id, "deny"), 409, "alert_state_conflict");
});

test("exactly one of approval and mask of a held alert is accepted when both are sent at once, and a denial before the alert begins keeps it from being played", async (context) => {
  await change({ approval: "all" });
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 8; i += 1) donations.push(await donate());
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(8);
  await control("pause");
  for (const { id } of donations) {
    const [approve, mask] = await Promise.all([decide(id, "approve"), decide(id, "mask")]);
    expect([approve.status, mask.status].sort()).toEqual([200, 409]);
    const [again, deny] = await Promise.all([decide(id, "approve"), decide(id, "deny")]);
    expect([again.status, deny.status]).toEqual([409, 200]);
  }
  const last = await donate();
  await expect.poll(async () => queueOf(await queue()).heldCount).toBe(1);
  await decide(last.id, "approve");
  await control("resume");
  expect((await show(page)).donationId).toBe(last.id);
  await page.expectNothing("playback");
});
