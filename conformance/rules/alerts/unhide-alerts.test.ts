import { afterEach, beforeEach, expect, test } from "vitest";
import { control, donate, freshQueue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

test("ending hiding answers the queue as not hidden; repeating it changes nothing", async () => {
  await control("hide");
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("unhide"))).toMatchObject({ hidden: false });
});

test("ending hiding tells open pages, and does not resume a paused queue", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await control("pause");
  await control("hide");
  await page.next("settings", ({ hidden }) => hidden);
  await donate();
  expect(queueOf(await control("unhide"))).toMatchObject({ hidden: false, paused: true, waitingCount: 1 });
  expect(await page.next("settings", ({ hidden }) => !hidden)).toMatchObject({ paused: true });
  await page.expectNothing("playback");
});
