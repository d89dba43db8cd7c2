import { expect, test } from "vitest";
import { forEachInTurn, runAll } from "./async.ts";

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
