import { expect, test } from "vitest";
import type { BatchedReads } from "./batched-reads.ts";
import { keptAnswers } from "./kept-answers.ts";

/** A streamer whose counters the test moves. */
function fakeStreamer() {
  const counters = { recorded: 1, alerts: 1 };
  const reads = (async () => [{ ...counters }]) as unknown as BatchedReads;
  return { counters, reads };
}

const question = { streamerId: "s", text: "stats", showsAlerts: false };
const answerOf = (text: string) => async () => Buffer.from(text);

test("an answer is made once for as long as nothing is recorded", async () => {
  const { reads } = fakeStreamer();
  const kept = keptAnswers(reads);
  expect(String(await kept(question, answerOf("first")))).toBe("first");
  expect(String(await kept(question, answerOf("second")))).toBe("first");
});

test("an answer is made anew after a donation was recorded, and when it shows alerts after one of them has moved", async () => {
  const { counters, reads } = fakeStreamer();
  const kept = keptAnswers(reads);
  const list = { ...question, text: "list", showsAlerts: true };
  await kept(question, answerOf("1"));
  await kept(list, answerOf("1"));
  counters.alerts = 2;
  expect(String(await kept(question, answerOf("2")))).toBe("1");
  expect(String(await kept(list, answerOf("2")))).toBe("2");
  counters.recorded = 2;
  expect(String(await kept(question, answerOf("3")))).toBe("3");
  expect(String(await kept(list, answerOf("3")))).toBe("3");
});

test("callers who ask the same while the answer is being made share it, unless a donation was recorded between them", async () => {
  const { counters, reads } = fakeStreamer();
  const kept = keptAnswers(reads);
  const slow = Promise.withResolvers<Buffer>();
  const first = kept(question, () => slow.promise);
  await Promise.resolve();
  const second = kept(question, answerOf("not made"));
  await new Promise(setImmediate);
  counters.recorded = 2;
  const third = kept(question, answerOf("after the donation"));
  expect(String(await third)).toBe("after the donation");
  slow.resolve(Buffer.from("before the donation"));
  expect(String(await first)).toBe("before the donation");
  expect(String(await second)).toBe("before the donation");
  expect(String(await kept(question, answerOf("not made")))).toBe("after the donation");
});

test("what several answers need is made once for as long as nothing is recorded", async () => {
  const { counters, reads } = fakeStreamer();
  const kept = keptAnswers(reads);
  let made = 0;
  const history = async () => ({ byteLength: 100, made: (made += 1) });
  const ask = (text: string) =>
    kept({ ...question, text }, async (_, also) => Buffer.from(`${text} ${(await also("history", history)).made}`));
  expect([String(await ask("stats")), String(await ask("top"))]).toEqual(["stats 1", "top 1"]);
  counters.recorded = 2;
  expect([String(await ask("stats")), String(await ask("top"))]).toEqual(["stats 2", "top 2"]);
});

test("what could not be made is made again by the next caller", async () => {
  const { reads } = fakeStreamer();
  const kept = keptAnswers(reads);
  await expect(kept(question, async () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
  expect(String(await kept(question, answerOf("made")))).toBe("made");
});

test("the least recently used answers make room when the limit of bytes is reached", async () => {
  const { reads } = fakeStreamer();
  const kept = keptAnswers(reads, 3_000);
  const ask = (name: string, text: string) => kept({ ...question, text: name }, answerOf(text.padEnd(100)));
  await ask("a", "1");
  await ask("b", "1");
  await ask("a", "2"); // used again
  await ask("c", "1");
  expect(String(await ask("a", "3")).trim()).toBe("1");
  expect(String(await ask("b", "3")).trim()).toBe("3");
});

test("many small answers are counted with what it costs to keep them", async () => {
  const { reads } = fakeStreamer();
  const kept = keptAnswers(reads, 100_000);
  const ask = (number: number, text: string) => kept({ ...question, text: `question ${number}` }, answerOf(text));
  for (let number = 0; number < 200; number += 1) await ask(number, "{}");
  expect(String(await ask(199, "new"))).toBe("{}");
  expect(String(await ask(0, "new"))).toBe("new");
});

test("a kept answer holds no memory beside its own", async () => {
  const { reads } = fakeStreamer();
  const kept = keptAnswers(reads);
  const made = Buffer.from("a short text, for which Node.js uses a part of a larger block");
  expect(made.buffer.byteLength).toBeGreaterThan(made.byteLength);
  const answer = await kept(question, async () => made);
  expect(answer).toEqual(made);
  expect(answer.buffer.byteLength).toBe(made.byteLength);
});
