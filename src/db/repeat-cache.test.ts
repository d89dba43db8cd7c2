import { expect, test } from "vitest";
import { answerCache, repeatCache } from "./answer-cache.ts";
import type { BatchedReads } from "./batched-reads.ts";

const key = { streamerId: "s", text: "list", showsAlerts: true };

/** Answers of a streamer whose counters the test moves, and how often the counters were read. */
function setting(limit?: number) {
  const counters = { recorded: 1, alerts: 1 };
  const counted = { reads: 0 };
  const reads = (async () => {
    counted.reads += 1;
    return [{ ...counters }];
  }) as unknown as BatchedReads;
  const cached = repeatCache(answerCache(reads), limit);
  const ask = async (answer: string, of: Partial<typeof key> = {}) => String(await cached({ ...key, ...of }, async () => answer));
  return { counters, counted, ask };
}

test("an answer that is requested once reads no counters, and is cached from the second time on", async () => {
  const { counted, ask } = setting();
  expect(await ask("1")).toBe("1");
  expect(counted.reads).toBe(0);
  expect(await ask("2")).toBe("2");
  expect(await ask("3")).toBe("2");
  expect(counted.reads).toBe(2);
});

test("a cached answer is used until the next donation and the next move of an alert", async () => {
  const { counters, ask } = setting();
  for (const answer of ["1", "2"]) await ask(answer);
  counters.recorded = 2;
  expect(await ask("3")).toBe("3");
  counters.alerts = 2;
  expect(await ask("4")).toBe("4");
  expect(await ask("5")).toBe("4");
});

test("the same request about another streamer is not a repeated one", async () => {
  const { counted, ask } = setting();
  await ask("1");
  expect(await ask("2", { streamerId: "t" })).toBe("2");
  expect(counted.reads).toBe(0);
});

test("a request is forgotten when many others have come since", async () => {
  const { counted, ask } = setting(4);
  await ask("1");
  for (let number = 0; number < 100; number += 1) await ask("other", { text: `other ${number}` });
  await ask("2");
  expect(counted.reads).toBe(0);
});

test("what can't be made is rejected, the first time and later", async () => {
  const cached = repeatCache(answerCache((async () => [{ recorded: 1, alerts: 1 }]) as unknown as BatchedReads));
  for (let time = 0; time < 3; time += 1)
    await expect(cached(key, async () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
});
