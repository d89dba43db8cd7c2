import { afterEach, beforeEach, expect, test } from "vitest";

import { control, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

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
