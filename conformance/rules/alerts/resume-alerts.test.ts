import { afterEach, beforeEach, expect, test } from "vitest";

import { control, donate, freshQueue, queueOf } from "../../harness/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../harness/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

test("resuming answers the queue as not paused; repeating it changes nothing", async () => {
  await control("pause");
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("resume"))).toMatchObject({ paused: false });
});

test("resuming plays the alerts that waited meanwhile, in order", async (context) => {
  await control("pause");
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [await donate(), await donate(), await donate()];
  await control("resume");
  expect(await page.next("settings")).toMatchObject({ paused: false });
  for (const { id } of donations) expect((await show(page)).donationId).toBe(id);
});
