import { expect, test } from "vitest";
import { forEachInTurn } from "./for-each-in-turn.ts";

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
