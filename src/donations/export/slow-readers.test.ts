import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { endWhenTooSlow, type ReaderPatience } from "./history.ts";

const patience: ReaderPatience = { inAllMs: 10_000, graceMs: 200, msPerRow: 0, lookMs: 5 };

async function* rows(count: number): AsyncIterable<number[]> {
  for (let row = 0; row < count; row += 1) yield [row];
}

/** Reads ten rows with a pause after each. Returns how many were read, and whether the export was ended. */
async function readSlowly(pauseMs: number, changes: Partial<ReaderPatience>, othersWait = true) {
  let [read, isEnded] = [0, false];
  const watched = { patience: { ...patience, ...changes }, othersWait: () => othersWait, end: () => void (isEnded = true) };
  try {
    for await (const _ of endWhenTooSlow(rows(10), watched)) {
      read += 1;
      await sleep(pauseMs);
    }
  } catch {}
  return { read, isEnded };
}

test("an export is ended when its client has kept others waiting for longer than its rows allow, all pauses together", async () => {
  const { read, isEnded } = await readSlowly(60, {});
  expect(isEnded).toBe(true);
  expect(read).toBeLessThan(10);
});

test("an export goes on while nobody waits for its place, and while its client is fast enough for its rows", async () => {
  expect(await readSlowly(30, {}, false)).toEqual({ read: 10, isEnded: false });
  expect(await readSlowly(30, { msPerRow: 10_000 })).toEqual({ read: 10, isEnded: false });
});

test("an export that waits for its client for too long altogether is ended, even when nobody waits for its place", async () => {
  expect((await readSlowly(60, { inAllMs: 200 }, false)).isEnded).toBe(true);
});
