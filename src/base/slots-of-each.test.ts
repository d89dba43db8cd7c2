import { expect, test } from "vitest";
import { slotsOfEach } from "./slots-of-each.ts";

/** Tasks that the test ends by their names. */
function manualTasks(limits: { max: number; maxWaiting: number }) {
  const run = slotsOfEach({ ...limits, waitMs: 60_000, tooMany: (count) => new Error(`${count} wait`) });
  const ends = new Map<string, () => void>();
  const add = (name: string) => run(name[0] as string, () => new Promise<void>((resolve) => ends.set(name, resolve)));
  const settled = () => new Promise(setImmediate);
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { add, end, settled, started: () => [...ends.keys()] };
}

test("each key has slots of its own, and its next task runs when one of its tasks has ended", async () => {
  const { add, end, settled, started } = manualTasks({ max: 2, maxWaiting: 10 });
  const all = Promise.all(["a1", "a2", "a3", "b1"].map(add));
  await settled();
  expect(started()).toEqual(["a1", "a2", "b1"]);
  await end("b1");
  expect(started()).toEqual(["a1", "a2", "b1"]);
  await end("a1");
  expect(started()).toEqual(["a1", "a2", "b1", "a3"]);
  await end("a2");
  await end("a3");
  await all;
});

test("a task beyond those of its key that may wait is refused, also after the key had none", async () => {
  const { add, end, settled } = manualTasks({ max: 1, maxWaiting: 1 });
  for (const round of ["1", "2"]) {
    const [first, second] = [add(`a${round}`), add(`a ${round}`)];
    await expect(add("a refused")).rejects.toThrow("1 wait");
    const other = add(`b${round}`);
    await settled();
    for (const name of [`a${round}`, `a ${round}`, `b${round}`]) await end(name);
    await Promise.all([first, second, other]);
  }
});
