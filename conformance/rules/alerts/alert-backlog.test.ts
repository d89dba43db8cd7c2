import { afterEach, beforeEach, expect, test } from "vitest";
import { change, control, decide, donate, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { acknowledge, closePages, firstPlayback, follow, overlayKeyOf, type Page, show } from "../../suite/client/overlay/overlay-page.ts";

// askFrom: alerts that came while no overlay was connected wait for the streamer's choice.

beforeEach(() => freshQueue());
afterEach(() => closePages());

async function donations(count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i += 1) ids.push((await donate()).id);
  return ids;
}

/** Plays so many alerts, the first of which may be in the snapshot. */
async function shownFrom(page: Page, count: number): Promise<string[]> {
  const { id, donationId } = await firstPlayback(page);
  for (const step of ["started", "ended"] as const) expect((await acknowledge(step, id, page)).status).toBe(200);
  return [donationId, ...(await shown(page, count - 1))];
}

async function shown(page: Page, count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i += 1) ids.push((await show(page)).donationId);
  return ids;
}

const left = () => expect.poll(async () => queueOf(await queue()).connected).toBe(false);

test("askFrom alerts that came while no overlay was connected pause the queue, through a reload, until it is resumed; then all play in order", async (context) => {
  await change({ askFrom: 3 });
  const ids = await donations(3);
  expect(queueOf(await queue())).toMatchObject({ paused: false, asking: false });
  const first = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ paused: true, asking: true, playing: null, waitingCount: 3 });
  await first.expectNothing("playback");
  closePages();
  const page = await follow({ key: overlayKeyOf(context) });
  expect(await page.next("snapshot")).toMatchObject({ paused: true, playback: null });
  const later = await donations(1);
  await page.expectNothing("playback");
  expect(queueOf(await control("resume"))).toMatchObject({ paused: false, asking: false });
  expect(await shown(page, 4)).toEqual([...ids, ...later]);
});

test("clearing a queue that asks skips what waits and resumes it: later alerts play", async (context) => {
  await change({ askFrom: 2 });
  await donations(5);
  const page = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ asking: true, waitingCount: 5 });
  expect(queueOf(await control("clear"))).toMatchObject({ paused: false, asking: false, waitingCount: 0 });
  const later = await donations(2);
  expect(await shown(page, 2)).toEqual(later);
});

test("fewer alerts than askFrom, and any number with askFrom 0, play as soon as an overlay connects", async (context) => {
  for (const askFrom of [3, 0]) {
    await change({ askFrom });
    const ids = await donations(askFrom === 0 ? 4 : 2);
    const page = await follow({ key: overlayKeyOf(context) });
    expect(await shownFrom(page, ids.length)).toEqual(ids);
    closePages();
    await left();
  }
});

test("alerts that wait since an overlay was connected ask nothing when it reconnects", async (context) => {
  await change({ askFrom: 2 });
  const page = await follow({ key: overlayKeyOf(context) });
  const ids = await donations(4);
  await page.next("playback");
  closePages();
  await left();
  const again = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ paused: false, asking: false });
  expect(await shownFrom(again, 4)).toEqual(ids);
});

test("a queue that asks goes on by itself once none of its alerts waits any more, and pausing it makes it an ordinary pause", async (context) => {
  await change({ askFrom: 2 });
  const ids = await donations(2);
  const page = await follow({ key: overlayKeyOf(context) });
  for (const id of ids) queueOf(await decide(id, "skip"));
  await expect.poll(async () => queueOf(await queue())).toMatchObject({ paused: false, asking: false });
  const [next] = await donations(1);
  expect(await shown(page, 1)).toEqual([next]);
  closePages();
  await left();
  const others = await donations(2);
  const again = await follow({ key: overlayKeyOf(context) });
  expect(queueOf(await queue())).toMatchObject({ asking: true });
  expect(queueOf(await control("pause"))).toMatchObject({ paused: true, asking: false });
  for (const id of others) queueOf(await decide(id, "skip"));
  expect(queueOf(await control("clear"))).toMatchObject({ paused: true });
  await again.expectNothing("playback");
});
