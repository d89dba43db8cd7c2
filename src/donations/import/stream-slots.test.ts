import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { sharedStreamSlots } from "./stream-slots.ts";

/** Places of which a holds two and b three, the second of b idle for longest. */
async function taken() {
  const admit = sharedStreamSlots({ perStreamer: 3, inAll: 5 });
  const slots = ["a", "a", "b", "b", "b"].map((streamerId) => admit(streamerId));
  await sleep(5);
  for (const [index, { noteUse }] of slots.entries()) if (index !== 3) noteUse();
  const lost = () => slots.map((slot) => slot.lost.aborted);
  return { admit, slots, lost };
}

test("a streamer who comes when all places are taken gets the one that has sent nothing for longest, of the streamer with most", async () => {
  const { admit, lost } = await taken();
  admit("c");
  expect(lost()).toEqual([false, false, false, true, false]);
});

test("a streamer gets no place of others who would then have fewer", async () => {
  const { admit, slots, lost } = await taken();
  expect(() => admit("a")).toThrow("As many imports");
  admit("c");
  expect(() => admit("c")).toThrow("As many imports");
  expect(lost().filter(Boolean)).toHaveLength(1);
  slots[0]?.release();
  admit("c");
});

test("a streamer has no more than their own places, even when others are free", () => {
  const admit = sharedStreamSlots({ perStreamer: 2, inAll: 5 });
  const [first] = [admit("a"), admit("a")];
  expect(() => admit("a")).toThrow("As many imports");
  first.release();
  admit("a");
});
