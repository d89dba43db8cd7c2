import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { fairQueue } from "./fair-queue.ts";

function queueOf(...items: string[]) {
  const queue = fairQueue<string>();
  for (const item of items) queue.add(item[0] as string, item);
  return queue;
}

test("keys take turns, in the order in which they came, and the items of a key keep their order", () => {
  const queue = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
  expect(queue.take(4)).toEqual(["a1", "b1", "c1", "a2"]);
  expect(queue.take(9)).toEqual(["c2", "a3"]);
  expect(queue.size()).toBe(0);
});

test("a key that comes while another has many items waits for one of them", () => {
  const queue = queueOf("a1", "a2", "a3", "a4");
  queue.add("b", "b1");
  expect(queue.take(2)).toEqual(["a1", "b1"]);
});

test("the items of a single key are taken in their order", () => {
  const queue = queueOf("a1", "a2", "a3");
  expect([queue.take(2), queue.size(), queue.oldest("a")]).toEqual([["a1", "a2"], 1, "a3"]);
  expect([queue.take(2), queue.take(2)]).toEqual([["a3"], []]);
});

test("the items of the key whose turn is next are taken alone, and what is left of them waits for its next turn", () => {
  const queue = queueOf("a1", "a2", "a3", "b1", "c1");
  expect([queue.takeOfOne(2), queue.size()]).toEqual([["a1", "a2"], 3]);
  expect([queue.takeOfOne(2), queue.takeOfOne(2), queue.takeOfOne(2)]).toEqual([["b1"], ["c1"], ["a3"]]);
  expect([queue.takeOfOne(2), queue.size()]).toEqual([[], 0]);
});

test("the oldest items of each key are removed for as long as the condition holds", () => {
  const queue = queueOf("a1", "a2", "a1", "b1", "c3");
  expect(queue.removeWhile((item) => item.endsWith("1"))).toEqual(["a1", "b1"]);
  expect([queue.size(), queue.oldest("b")]).toEqual([3, undefined]);
  expect(queue.take(9)).toEqual(["a2", "c3", "a1"]);
});

test.each([[["a1", "a2", "b1"]], [["a1", "a2", "a3"]]])("a key waits for its turn since its last one (%s)", async (items) => {
  const queue = queueOf(...items);
  const first = queue.turnSince() as number;
  await sleep(2);
  queue.take(2);
  expect(queue.turnSince()).toBeGreaterThan(first);
  queue.take(1);
  expect(queue.turnSince()).toBeUndefined();
});
