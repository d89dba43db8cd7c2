import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openBatchLimits } from "./worker.ts";

const never = () => new Promise<never>(() => {});

/** "still waiting" when the limits keep the batch waiting for batches that never end. */
const orWaiting = (batch: Promise<string>) => Promise.race([batch, sleep(1_000, "still waiting", { ref: false })]);

test.each([true, false])("a streamer whose endpoints all hang does not keep those of others waiting (slow: %s)", async (isSlow) => {
  const limits = openBatchLimits();
  for (let i = 0; i < 1_000; i += 1) void limits.run({ streamerId: "a", isSlow }, never);
  expect(await orWaiting(limits.run({ streamerId: "b", isSlow }, async () => "sent"))).toBe("sent");
});

test("endpoints that hang and are known to be slow do not keep quick ones waiting", async () => {
  const limits = openBatchLimits();
  for (let i = 0; i < 1_000; i += 1) void limits.run({ streamerId: `${i}`, isSlow: true }, never);
  expect(await orWaiting(limits.run({ streamerId: "a", isSlow: false }, async () => "sent"))).toBe("sent");
});

test("a streamer's batches all run, and no more of them at once than one streamer may have", async () => {
  const limits = openBatchLimits();
  let [running, most] = [0, 0];
  const task = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(1);
    running -= 1;
    return 1;
  };
  const sent = await Promise.all(Array.from({ length: 300 }, () => limits.run({ streamerId: "a", isSlow: false }, task)));
  expect([sent.length, most]).toEqual([300, 64]);
});

test("a batch that fails leaves its place", async () => {
  const limits = openBatchLimits();
  const fail = () => limits.run({ streamerId: "a", isSlow: true }, () => Promise.reject(new Error("no")));
  for (let i = 0; i < 100; i += 1) await expect(fail()).rejects.toThrow("no");
  await expect(limits.run({ streamerId: "a", isSlow: true }, async () => 1)).resolves.toBe(1);
});
