import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { change, control, donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import {
  acknowledge,
  closePages,
  firstPlayback,
  follow,
  overlayKeyOf,
  type Page,
  type Playback,
} from "../../suite/client/overlay/overlay-page.ts";

// The settings that decide when the next alert starts, for how long it is shown, and whether it is read aloud.

beforeEach(() => freshQueue());
afterEach(() => closePages());

const end = async ({ id }: Playback, page: Page): Promise<void> => expect((await acknowledge("ended", id, page)).status).toBe(200);

test("the next alert starts pauseSeconds after the end of the one before, however long that one played, also when it was skipped", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ pauseSeconds: 1 });
  for (let i = 0; i < 4; i += 1) await donate();
  let playback = await page.next("playback");
  for (const step of ["ended", "skipped", "ended"]) {
    expect((await acknowledge("started", playback.id, page)).status).toBe(200);
    await sleep(1_200); // a pause that begins with the start is over now
    // Measured from before the request: the alert ends later, by however much the server is busy.
    const before = performance.now();
    if (step === "ended") await end(playback, page);
    else expect((await control("skip")).status).toBe(200);
    playback = await page.next("playback");
    expect(performance.now() - before).toBeGreaterThan(990); // the clocks of two machines run differently
  }
});

test("alerts are faster while at least fasterFrom wait behind them", async (context) => {
  await change({ fasterFrom: 2 });
  for (let i = 0; i < 4; i += 1) await donate();
  const page = await follow({ key: overlayKeyOf(context) });
  const shown = [await firstPlayback(page)];
  for (let last = shown[0] as Playback; shown.length < 4; shown.push(last)) {
    await end(last, page);
    last = await page.next("playback");
  }
  expect(shown.map(({ faster }) => faster)).toEqual([true, true, false, false]);
});

test("a donation below speechMinimumAmount is not read aloud; at it one is, where the server has a speech engine", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  const spoken = async (amount: number): Promise<boolean> => {
    await donate({ amount, message: "Hello" });
    const playback = await page.next("playback");
    await end(playback, page);
    return playback.speech !== null;
  };
  const hasEngine = await spoken(20.5);
  await change({ speechMinimumAmount: 20.5 });
  expect([await spoken(20.49), await spoken(20.5)]).toEqual([false, hasEngine]);
});

test("an open page is told a volume of speech of its own, and the volume of sounds where there is none", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ volume: 40, speechVolume: 10 });
  expect((await page.next("settings")).settings).toMatchObject({ volume: 40, speechVolume: 10 });
  await change({ speechVolume: null });
  expect((await page.next("settings")).settings).toMatchObject({ volume: 40, speechVolume: 40 });
});

test("an open page is told the speed of speech", async (context) => {
  const page = await follow({ key: overlayKeyOf(context) });
  await change({ speechSpeed: 1.5 });
  expect((await page.next("settings")).settings).toMatchObject({ speechSpeed: 1.5 });
});
