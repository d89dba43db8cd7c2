import { afterEach, beforeEach, expect, test } from "vitest";

import { donate, freshQueue, queue, queueOf, sendTest } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, follow, overlayKeyOf } from "../../suite/client/overlay/overlay-page.ts";
import { keyOf } from "../../suite/values/target.ts";

beforeEach(() => freshQueue());
afterEach(() => closePages());

const now = async () => queueOf(await queue());

test("an empty queue is answered with nothing playing, nothing waiting and nothing held", async () => {
  const nothing = { playing: null, waiting: [], waitingCount: 0, held: [], heldCount: 0 };
  const { overlays: _, ...queue } = await now(); // the rules of leadOverlay are about them
  expect(queue).toEqual({ paused: false, asking: false, hidden: false, connected: false, ...nothing });
});

test("waiting donations are shown in the order of recording, each as it was sent, without its identifier, even while no overlay is connected", async () => {
  const first = await donate({ donatorName: "ก", amount: 0.1, message: "หนึ่ง", identifier: "secret", createdAt: "2020-01-01T00:00Z" });
  const second = await donate({ createdAt: "2010-01-01T00:00Z" });
  const { waiting, waitingCount } = await now();
  expect(waiting[0]).toEqual({
    playbackId: null,
    donationId: first.id,
    donatorName: "ก",
    amount: 0.1,
    currency: "THB",
    message: "หนึ่ง",
    source: "external",
    status: "queued",
    replay: false,
    masked: false,
  });
  expect([waiting.map(({ donationId }) => donationId), waitingCount]).toEqual([[first.id, second.id], 2]);
});

test("a donation with skipAlert is not in the queue; a test alert is", async () => {
  await donate({ skipAlert: true });
  await sendTest({});
  expect((await now()).waiting.map(({ source }) => source)).toEqual(["test"]);
});

test("a long queue shows the first 50 waiting alerts and counts all of them", async () => {
  const all = [];
  for (let i = 0; i < 53; i += 1) all.push((await donate()).id);
  const { waiting, waitingCount } = await now();
  expect([waiting.map(({ donationId }) => donationId), waitingCount]).toEqual([all.slice(0, 50), 53]);
});

test("an alert that was handed to an overlay is shown as playing, the others as waiting", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const [first, second] = [await donate(), await donate()];
  const { id } = await page.next("playback");
  expect(await now()).toMatchObject({ playing: { playbackId: id, donationId: first.id, status: "leased" }, waitingCount: 1 });
  await acknowledge("started", id, page);
  expect(await now()).toMatchObject({ playing: { status: "playing" }, waiting: [{ donationId: second.id }] });
  await acknowledge("ended", id, page);
  await page.next("playback");
  expect(await now()).toMatchObject({ playing: { donationId: second.id }, waitingCount: 0 });
});

test("connected is true while an overlay could play; widgets do not count", async (context) => {
  const key = overlayKeyOf(context);
  const widget = await follow({ key, plays: false });
  await widget.next("snapshot");
  expect((await now()).connected).toBe(false);
  const page = await follow({ key });
  await page.next("snapshot");
  expect((await now()).connected).toBe(true);
  page.close();
  await expect.poll(async () => (await now()).connected).toBe(false);
});

test("every streamer has a queue of their own", async (context) => {
  const other = { key: keyOf(context, "other") };
  await freshQueue(other);
  await donate();
  expect(queueOf(await queue(other)).waitingCount).toBe(0);
});
