import { expect, test } from "vitest";
import { requireDescriptors } from "./check-start.ts";

const warningsAt = (descriptors: number): string[] => {
  const lines: string[] = [];
  requireDescriptors((_, line) => lines.push(line), descriptors);
  return lines;
};

test.each([
  [56, 8],
  [64, 12],
  [256, 108],
  [1_024, 768],
  [10_255, 9_999],
])("a process that may open %i files says that it serves %i connections", (descriptors, connections) => {
  expect(warningsAt(descriptors)).toEqual([expect.stringContaining(`${connections} clients can be connected`)]);
});

test.each([10_256, 1_048_576, Number.POSITIVE_INFINITY])("a process that may open %d files says nothing of connections", (descriptors) => {
  expect(warningsAt(descriptors)).toEqual([]);
});

test("a process that may open too few files does not start, and says how many it needs", () => {
  expect(() => warningsAt(55)).toThrow("this process may open 55 files and connections (ulimit -n), and needs 56 at least");
});
