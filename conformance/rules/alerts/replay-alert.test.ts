import { afterEach, beforeEach, expect, test } from "vitest";
import { type Donation, expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { change, control, donate, freshQueue, queue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const alertOf = async (id: string) => readDonation(await get(id)).alert;

function queued(reply: Reply): { playbackId: string; donationId: string } {
  expect(reply.status, reply.text).toBe(201);
  return (reply.body as { data: { playbackId: string; donationId: string } }).data;
}

test("a shown alert is shown once more, as a playback of its own; shownAt stays the first time", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const { id, donatorName, amount, message } = await donate({ donatorName: " Somsri ", amount: 12.5005, message: "อีกครั้ง" });
  const first = await show(page);
  const { shownAt } = await alertOf(id);
  expect(shownAt).not.toBeNull();
  const answered = queued(await replay(id));
  expect(answered).toMatchObject({ donationId: id, donatorName, amount, message, replay: true });
  const { playbackId } = answered;
  const second = await page.next("playback");
  expect(second).toEqual({ ...first, id: playbackId, replay: true });
  expect(await alertOf(id)).toMatchObject({ status: "leased", shownAt });
  await acknowledge("ended", second.id, page);
  expect(await alertOf(id)).toEqual({ status: "shown", reason: null, shownAt, masked: false });
});

test("a replay comes before waiting alerts and after the one that plays", async (context) => {
  const [old, older] = [await donate({ skipAlert: true }), await donate({ skipAlert: true })];
  const page = await follow({ key: overlayKeyOf(context) });
  const [playing, waiting] = [await donate(), await donate()];
  const current = await page.next("playback");
  queued(await replay(older.id));
  queued(await replay(old.id));
  expect(queueOf(await queue()).waiting.map(({ donationId, replay }) => [donationId, replay])).toEqual([
    [older.id, true],
    [old.id, true],
    [waiting.id, false],
  ]);
  expect(current.donationId).toBe(playing.id);
  await acknowledge("ended", current.id, page);
  for (const { id } of [older, old, waiting]) expect((await show(page)).donationId).toBe(id);
});

test.for<[string, () => Promise<Donation>]>([
  ["that asked for none", () => donate({ skipAlert: true })],
  [
    "that was filtered",
    async () => {
      await change({ blockedWords: ["สแปม"] });
      return donate({ message: "สแปม" });
    },
  ],
  [
    "that was below the minimum",
    async () => {
      await change({ minimumAmount: 100 });
      return donate();
    },
  ],
  [
    "that was cleared",
    async () => {
      await control("pause");
      const donation = await donate();
      await control("clear");
      await control("resume");
      return donation;
    },
  ],
])("a donation %s is shown when a replay of it is requested", async ([, make], context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const { id } = await make();
  await expect.poll(async () => (await alertOf(id)).status).toBe("skipped");
  queued(await replay(id));
  expect(await show(page)).toMatchObject({ donationId: id, replay: true });
  expect(await alertOf(id)).toMatchObject({ status: "shown", reason: null });
});

test("a replay of an alert that waits or plays is refused with alert_state_conflict, and the alert is shown once", async (context) => {
  const { id } = await donate();
  expectProblem(await replay(id), 409, "alert_state_conflict");
  const page = await follow({ key: overlayKeyOf(context) });
  const playback = await firstPlayback(page);
  expectProblem(await replay(id), 409, "alert_state_conflict");
  await acknowledge("started", playback.id, page);
  expectProblem(await replay(id), 409, "alert_state_conflict");
  await acknowledge("ended", playback.id, page);
  await page.expectNothing("playback");
});

test("a replay that waits cannot be requested again", async () => {
  const { id } = await donate({ skipAlert: true });
  const replies = await Promise.all(Array.from({ length: 5 }, () => replay(id)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
});

test("a replay of an unknown, malformed or another streamer's donation is refused with alert_not_found", async (context) => {
  const key = keyOf(context, "other");
  const foreign = await donate({ skipAlert: true }, { key });
  for (const id of ["01932f6e-8a00-7000-8000-3f1e5a7c9b21", "x", foreign.id.toUpperCase(), foreign.id])
    expectProblem(await replay(id), 404, "alert_not_found");
  expect((await replay(foreign.id, { key })).status).toBe(201);
  await freshQueue({ key });
});
