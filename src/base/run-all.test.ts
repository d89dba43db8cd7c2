import { expect, test } from "vitest";
import { runAll } from "./run-all.ts";

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
