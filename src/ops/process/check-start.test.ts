import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connectionsPerProcess } from "../../db/pools.ts";
import { requireDescriptors, requirePackages } from "./check-start.ts";

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

test.each([
  ["REDIS_URL", "@redis/client", { redisUrl: "redis://127.0.0.1", traces: null }],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "@opentelemetry/sdk-trace", { redisUrl: null, traces: {} as never }],
])("a server with %s names the package %s where it is not installed", (setting, name, config) => {
  const missing = () => {
    throw new Error("Cannot find package");
  };
  expect(() => requirePackages(config)).not.toThrow();
  expect(() => requirePackages(config, missing)).toThrow(
    `${setting} needs the npm package ${name}, which is not installed. Run: npm run extras`,
  );
  expect(() => requirePackages({ redisUrl: null, traces: null }, missing)).not.toThrow();
});

test.each(["docs/operations/install.md", "docs/operations/grow.md", "deploy/compose.yaml", "deploy/patroni.yaml"])(
  "%s says how many connections each process opens",
  (path) => {
    expect(readFileSync(join(import.meta.dirname, "../../..", path), "utf8")).toMatch(
      new RegExp(`\\b${connectionsPerProcess("onServer")} for each process`),
    );
  },
);
