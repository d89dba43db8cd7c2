import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { maxReadings, openFeeds } from "./feeds.ts";
import type { LogQuestion } from "./log.ts";

/** Feeds of a log whose readings wait until `answer` is called. */
function open() {
  const state = { end: 5, readings: 0, most: 0, underWay: [] as (() => void)[] };
  const feeds = openFeeds({
    read: (_: LogQuestion) =>
      new Promise((resolve) => {
        state.readings += 1;
        state.underWay.push(() => resolve({ events: [], position: state.end, hasMore: false }));
        state.most = Math.max(state.most, state.underWay.length);
      }),
    end: async () => state.end,
    ends: async (ids) => ids.map((streamerId) => ({ streamerId, end: state.end })),
  });
  return { feeds, state };
}

const question = (streamerId: string): LogQuestion => ({ streamerId, after: 0, types: ["goal.reached"], withImported: true, limit: 100 });

async function isWoken({ changed }: { changed: () => Promise<void> }): Promise<boolean> {
  let woken = false;
  void changed().then(() => (woken = true));
  await turn();
  return woken;
}

test("a look at the ends of logs wakes those alone who have not read so far", async () => {
  const { feeds, state } = open();
  const [behind, ahead, unread] = [feeds.follow("s"), feeds.follow("s"), feeds.follow("s")];
  behind.hasRead(4);
  ahead.hasRead(5);
  await feeds.poll();
  expect(await Promise.all([isWoken(behind), isWoken(ahead), isWoken(unread)])).toEqual([true, false, true]);
  state.end = 6;
  await feeds.poll();
  expect(await isWoken(ahead)).toBe(true);
});

test("followers of a thousand streamers who are woken at once do not all read at once", async () => {
  const { feeds, state } = open();
  const all = Array.from({ length: 1_000 }, (_, index) => {
    feeds.follow(`s${index}`);
    return feeds.read(question(`s${index}`));
  });
  let isOver = false;
  const over = Promise.all(all).then(() => (isOver = true));
  while (!isOver) {
    await turn();
    for (const answer of state.underWay.splice(0)) answer();
  }
  await over;
  expect([state.readings, state.most]).toEqual([1_000, maxReadings]);
});

test("followers at the same position who are woken together share a reading", async () => {
  const { feeds, state } = open();
  for (let count = 0; count < 3; count += 1) feeds.follow("s");
  const all = Promise.all([1, 2, 3].map(() => feeds.read(question("s"))));
  await turn();
  for (const answer of state.underWay.splice(0)) answer();
  await all;
  expect(state.readings).toBe(1);
});
