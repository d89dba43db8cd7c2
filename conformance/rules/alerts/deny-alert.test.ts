import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectProblem, get, listAll, readDonation, searchAll } from "../../suite/client/api.ts";
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

const heldCount = async (): Promise<number> => queueOf(await queue()).heldCount;

test("a masked alert plays once with its amount alone, and so does its replay; the queue shows the texts", async (context) => {
  await change({ approval: "all" });
  const page = await follow({ key: overlayKeyOf(context) });
  const one = await donate({ donatorName: "Malee", message: "Hi", amount: 55.5 });
  await expect.poll(heldCount).toBe(1);
  await control("pause");
  for (const reply of [await decide(one.id, "mask"), await queue()])
    expect(queueOf(reply).waiting[0]).toMatchObject({ donatorName: "Malee", message: "Hi", masked: true });
  await control("resume");
  const hidden = { donationId: one.id, donatorName: "***", message: "", amount: 55.5, masked: true };
  expect(await show(page)).toMatchObject(hidden);
  expect((await replay(one.id)).status).toBe(201);
  expect(await show(page)).toMatchObject(hidden);
});

test("a donation whose alert was masked says so from then on, after a replay, in lists and in searches, too; one that was approved does not", async (context) => {
  await change({ approval: "all" });
  const page = await follow({ key: overlayKeyOf(context) });
  const [masked, approved] = [await donate({ identifier: randomUUID() }), await donate()];
  await expect.poll(heldCount).toBe(2);
  const isMasked = async ({ id }: { id: string }) => readDonation(await get(id)).alert.masked;
  expect([await isMasked(masked), await isMasked(approved)]).toEqual([false, false]);
  await decide(masked.id, "mask");
  await decide(approved.id, "approve");
  await show(page);
  await show(page);
  expect([await isMasked(masked), await isMasked(approved)]).toEqual([true, false]);
  expect((await replay(masked.id)).status).toBe(201);
  await show(page);
  const listed = await listAll({ identifier: masked.identifier as string });
  const found = await searchAll({ q: masked.identifier as string });
  for (const those of [listed, found]) expect(those.map(({ alert }) => [alert.status, alert.masked])).toEqual([["shown", true]]);
});

test("masking an alert that is not held is refused with alert_state_conflict", async () => {
  await control("pause");
  const one = await donate();
  expectProblem(await decide(one.id, "mask"), 409, "alert_state_conflict");
});

test.for([
  ["mask_word", { donatorName: "Mr *** Jr", message: "buy *** now" }],
  ["mask_text", { donatorName: "***", message: "" }],
] as const)("blockedWordAction %s hides blocked words on stream, and the queue shows them", async ([blockedWordAction, shown], context) => {
  await change({ blockedWords: ["spam", "สแปม"], blockedWordAction });
  const page = await follow({ key: overlayKeyOf(context) });
  await control("pause");
  const one = await donate({ donatorName: "Mr สแปม Jr", message: "buy S P A M now" });
  const clean = await donate({ donatorName: "Malee", message: "ดี" });
  await control("resume");
  expect(await show(page)).toMatchObject({ donationId: one.id, ...shown, masked: false });
  expect(await show(page)).toMatchObject({ donationId: clean.id, donatorName: "Malee", message: "ดี" });
});
