import { afterEach, beforeEach, expect, test } from "vitest";

import { control, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

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
