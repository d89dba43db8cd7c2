import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { forEachInTurn, makeTurns, runAll } from "./async.ts";

test("every step is tried, and failures are thrown at the end", async () => {
  const tried: string[] = [];
  const step = (name: string) => async () => void tried.push(name);
  const fail = (name: string) => () => {
    tried.push(name);
    throw new Error(name);
  };
  await expect(runAll([step("a"), fail("b"), step("c")])).rejects.toThrow("b");
  await expect(runAll([fail("d"), fail("e")])).rejects.toThrow(AggregateError);
  expect(tried).toEqual(["a", "b", "c", "d", "e"]);
});

test("an item that fails keeps no other from its turn, and the first failure is thrown at the end", async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    if (item % 2 === 0) throw new Error(`no ${item}`);
    done.push(item);
  };
  await expect(forEachInTurn([1, 2, 3, 4, 5], work)).rejects.toThrow("no 2");
  expect(done).toEqual([1, 3, 5]);
  await forEachInTurn([7], work);
  expect(done).toEqual([1, 3, 5, 7]);
});

test("as many as may go on in a turn of the event loop go on, the others in the next turns, the first before the last", async () => {
  const takeTurn = makeTurns(2);
  const gone: number[] = [];
  const goOn = async (one: number) => {
    await takeTurn();
    gone.push(one);
  };
  for (const one of [1, 2, 3, 4, 5]) void goOn(one);
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await nextTurn();
    counts.push(gone.length);
  }
  expect(gone).toEqual([1, 2, 3, 4, 5]);
  expect(counts.map((count, turn) => count - (counts[turn - 1] ?? 2)).every((more) => more <= 2)).toBe(true);
  expect(counts[0]).toBeLessThan(5);
});
