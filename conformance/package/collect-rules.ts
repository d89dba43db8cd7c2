// The program of a thread: collects the rules of these files, posts them to the thread that started it, and ends.

import { parentPort, workerData } from "node:worker_threads";
import { collectTests } from "vitest/internal/browser";
import { createRuleFileRunner, fileOf, modesOf } from "./rule-file-runner.ts";
import { type CollectedRules, type Collecting, provideWorkerState } from "./worker-threads.ts";

const { paths, titles, targets } = workerData as Collecting;
provideWorkerState(targets);
const files = await collectTests(paths, createRuleFileRunner([], { titles }).runner);
const collected = files.map((file): CollectedRules => {
  const { relativeModuleId, children } = fileOf(file, modesOf(file));
  return { relativeModuleId, tests: [...children.allTests()].map(({ fullName, options: { mode } }) => ({ fullName, options: { mode } })) };
});
parentPort?.postMessage(collected);
