import { expect, test } from "vitest";
import { fairSlots, slotsOfEach } from "./fair-slots.ts";

const tooMany = (count: number) => new Error(`${count} wait`);

/** Slots for tasks that the test ends, one at a time in the order of their start. */
function manualSlots(max: number, { maxWaiting = 10, maxWaitingOfKey = 10, waitMs = 60_000, favoursShortest = false } = {}) {
  const run = fairSlots({ max, maxWaiting, maxWaitingOfKey, waitMs, favoursShortest, tooMany });
  const started: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const add = (name: string) =>
    run(name[0] as string, () => {
      started.push(name);
      return new Promise<string>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve(name))));
    });
  const settled = () => new Promise(setImmediate);
  const end = async (error?: Error) => {
    await settled();
    ends.shift()?.(error);
    await settled();
  };
  return { add, end, settled, started };
}

test("as many tasks run at once as there are slots, and waiting keys take turns", async () => {
  const { add, end, settled, started } = manualSlots(2);
  const results = ["a1", "a2", "a3", "a4", "b1"].map(add);
  await settled();
  expect(started).toEqual(["a1", "a2"]);
  await end();
  await end();
  expect(started).toEqual(["a1", "a2", "a3", "b1"]);
  for (let left = 3; left > 0; left -= 1) await end();
  expect(await Promise.all(results)).toEqual(["a1", "a2", "a3", "a4", "b1"]);
});

test("a task that fails rejects its caller and frees its slot", async () => {
  const { add, end, started } = manualSlots(1);
  const [first, second] = [add("a1"), add("a2")];
  first.catch(() => {});
  await end(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  expect(started).toEqual(["a1", "a2"]);
  await end();
  expect(await second).toBe("a2");
  const third = add("a3");
  await end();
  expect(await third).toBe("a3");
});

test("a task beyond those that may wait is rejected at once", async () => {
  const { add, end } = manualSlots(1, { maxWaiting: 1 });
  const accepted = Promise.all(["a1", "a2"].map(add));
  await expect(add("b1")).rejects.toThrow("1 wait");
  await end();
  await end();
  await accepted; // one left waiting would be rejected a minute later, during another file's tests
});

test("a task beyond those of its key that may wait is rejected at once, and another key may still wait", async () => {
  const { add, end, started } = manualSlots(1, { maxWaitingOfKey: 1 });
  add("a1");
  add("a2");
  await expect(add("a3")).rejects.toThrow("10 wait");
  add("b1");
  for (let left = 3; left > 0; left -= 1) await end();
  expect(started).toEqual(["a1", "a2", "b1"]);
});

test("when too many wait, the newest task of the key with most is rejected for one of a key with fewer, if that is asked for", async () => {
  const { add, end, started } = manualSlots(1, { maxWaiting: 3, favoursShortest: true });
  const results = ["a1", "a2", "a3", "b1"].map(add);
  const refused = expect(results[2]).rejects.toThrow("3 wait");
  const last = add("c1");
  await refused;
  await expect(add("d1")).rejects.toThrow("3 wait");
  for (let left = 4; left > 0; left -= 1) await end();
  expect([await last, started]).toEqual(["c1", ["a1", "a2", "b1", "c1"]]);
});

test("a task that waits too long for its turn is rejected and never run, and the one behind it gets the slot", async () => {
  const { add, end, started } = manualSlots(1, { waitMs: 10 });
  const first = add("a1");
  await expect(add("b1")).rejects.toThrow("10 wait");
  const last = add("c1");
  await end();
  expect([await first, started]).toEqual(["a1", ["a1", "c1"]]);
  await end();
  expect(await last).toBe("c1");
});

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
