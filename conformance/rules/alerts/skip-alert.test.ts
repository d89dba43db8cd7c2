import { afterEach, beforeEach, expect, test } from "vitest";
import { expectProblem, get, readDonation } from "../../suite/client/api.ts";
import { control, donate, freshQueue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

test("skipping while nothing plays is refused with alert_state_conflict, and waiting alerts go on waiting", async () => {
  await donate();
  expectProblem(await control("skip"), 409, "alert_state_conflict");
  expect(queueOf(await control("resume")).waitingCount).toBe(1);
});

test("skipping tells the page to stop, records the reason, and the next alert follows", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [skipped, next] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  expect(queueOf(await control("skip")).playing?.donationId).not.toBe(skipped.id);
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect((await show(page)).donationId).toBe(next.id);
  expect(readDonation(await get(skipped.id)).alert).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });
});

test("skipping is possible while the queue is paused: what plays ends, and nothing follows", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [playing, waiting] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  await control("pause");
  expect(queueOf(await control("skip"))).toMatchObject({ paused: true, playing: null, waiting: [{ donationId: waiting.id }] });
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expect(readDonation(await get(playing.id)).alert).toMatchObject({ status: "skipped", reason: "control" });
});

test("an alert that was handed out and has not begun can be skipped", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await donate();
  const { id } = await page.next("playback");
  queueOf(await control("skip"));
  expect(await page.next("stop")).toEqual({ playbackId: id });
  expectProblem(await acknowledge("started", id, page), 409, "alert_state_conflict");
});
