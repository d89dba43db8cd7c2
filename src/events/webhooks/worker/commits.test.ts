import { expect, test } from "vitest";
import { batchCommits, type Progress } from "./commits.ts";

const progress = (endpointId: string, position = 1): Progress => ({
  ...{ endpointId, position, written: [] },
  health: { failing: "kept", failedAt: null, pausedUntil: null, disabledReason: null },
});

/** A database that notes what it writes, fails for the endpoint `broken`, and does not have the endpoint `lost`. */
function open() {
  const written: string[][] = [];
  const commit = batchCommits(async (all) => {
    written.push(all.map(({ endpointId, position }) => `${endpointId} ${position}`));
    await new Promise(setImmediate);
    if (all.some(({ endpointId }) => endpointId === "broken")) throw new Error("it can't be written");
    return new Set(all.map(({ endpointId }) => endpointId).filter((id) => id !== "lost"));
  });
  return { written, commit };
}

test("batches of several endpoints that come together are written together, and each learns whether it was", async () => {
  const { written, commit } = open();
  expect(await Promise.all(["a", "lost", "b"].map((id) => commit(progress(id))))).toEqual([true, false, true]);
  expect(written.map((all) => all.toSorted())).toEqual([["a 1", "b 1", "lost 1"]]);
});

test("two batches of one endpoint are written one after the other", async () => {
  const { written, commit } = open();
  await Promise.all([commit(progress("a", 1)), commit(progress("b", 1)), commit(progress("a", 2))]);
  expect(written.map((all) => all.toSorted())).toEqual([["a 1", "b 1"], ["a 2"]]);
});

test("a batch that can't be written fails alone, and the next ones are written", async () => {
  const { commit } = open();
  const results = await Promise.allSettled(["a", "broken", "b"].map((id) => commit(progress(id))));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await commit(progress("a", 2))).toBe(true);
});
