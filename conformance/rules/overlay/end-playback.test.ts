import { afterEach, beforeEach, expect, test } from "vitest";
import { get, readDonation } from "../../suite/client/api.ts";
import { donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(async (context) => {
  overlayKeyOf(context as never);
  await freshQueue();
});
afterEach(() => closePages());

test("the end of a playback marks the alert as shown now, and the next one follows; repeating it changes nothing", async () => {
  const page = await follow();
  const [first, second] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  await acknowledge("started", id, page);
  expect((await acknowledge("ended", id, page)).body).toEqual({ data: { id, status: "shown" } });
  expect((await page.next("playback")).donationId).toBe(second.id);
  const { alert } = readDonation(await get(first.id));
  expect(alert).toMatchObject({ status: "shown", reason: null });
  expect(alert.shownAt && alert.shownAt >= first.receivedAt).toBe(true); // both by the server's clock
  expect((await acknowledge("ended", id, page)).body).toEqual({ data: { id, status: "shown" } });
  expect(readDonation(await get(first.id)).alert).toEqual(alert);
});

test("an end whose start never arrived counts", async () => {
  const page = await follow();
  const { id } = await donate();
  await acknowledge("ended", (await page.next("playback")).id, page);
  expect(readDonation(await get(id)).alert.status).toBe("shown");
});

test("an end reported while the page is not connected counts: the alert is not shown again", async () => {
  const page = await follow();
  const { id } = await donate();
  const playback = await page.next("playback");
  await acknowledge("started", playback.id, page);
  page.close();
  await expect.poll(async () => queueOf(await queue()).connected).toBe(false);
  expect((await acknowledge("ended", playback.id, page)).status).toBe(200);
  const again = await follow({ player: page.player });
  expect((await again.next("snapshot")).playback).toBeNull();
  expect(readDonation(await get(id)).alert.status).toBe("shown");
});
