import { afterEach, beforeEach, expect, test } from "vitest";
import { get, readDonation } from "../../suite/client/api.ts";
import { control, donate, freshQueue, queueOf, replay } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const alertOf = async (id: string) => readDonation(await get(id)).alert;

test("clearing skips every waiting alert and keeps its donation recorded", async () => {
  const donations = [];
  for (let i = 0; i < 8; i += 1) donations.push(await donate());
  for (let i = 0; i < 2; i += 1) expect(queueOf(await control("clear"))).toMatchObject({ waiting: [], waitingCount: 0 });
  for (const { id } of donations) expect(await alertOf(id)).toEqual({ status: "skipped", reason: "control", shownAt: null, masked: false });
});

test("clearing lets the playing alert end, and later alerts are played", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const donations = [];
  for (let i = 0; i < 6; i += 1) donations.push(await donate());
  const playing = await page.next("playback");
  expect(queueOf(await control("clear"))).toMatchObject({ playing: { donationId: donations[0]?.id }, waitingCount: 0 });
  const later = await donate();
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, playing.id, page)).status).toBe(200);
  expect((await show(page)).donationId).toBe(later.id);
});

test("clearing skips waiting replays as well", async () => {
  const { id } = await donate({ skipAlert: true });
  await replay(id);
  queueOf(await control("clear"));
  expect(await alertOf(id)).toMatchObject({ status: "skipped", reason: "control" });
});
