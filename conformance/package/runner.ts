// Replaces suite/command/vitest.ts in the package: runs the rule files in this process with vitest's runner and assertions, without vite.
// The rule files are part of the bundle, so that nothing is compiled and nothing is read from the disk.

import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { SerializedError } from "vitest";
import { collectTests, startTests } from "vitest/internal/browser";
import { inOrder } from "../suite/command/measured.ts";
import type { CollectedFile, RuleRunner, VitestOptions } from "../suite/command/vitest.ts";
import type { ReportedTest, RuleReporter } from "../suite/report/reporter.ts";
import { stateLimitMs } from "../suite/values/run-settings.ts";
import { target, useTarget } from "../suite/values/target.ts";
import { createRuleFileRunner, fileOf, modesOf, type RuleFileRunner, root } from "./rule-file-runner.ts";

/** Prepares the run of these rule files, one after the other, against the first target. */
export async function openVitest(files: readonly string[], { titles, targets, reporters, timeouts }: VitestOptions): Promise<RuleRunner> {
  const paths = inOrder(files.map((file) => `${root}/${file}`));
  const run = createRuleFileRunner(reporters, { titles, timeouts });
  return {
    collect: async () => ({ testModules: await collectInThread({ paths, titles, targets }) }),
    start: async () => {
      provideWorkerState(targets);
      const before = target();
      useTarget(targets[0]); // of this run alone: with the file that collects its requests
      return runFiles(paths, run, reporters).finally(() => useTarget(before));
    },
    cancelCurrentRun: async (reason) => void (await run.runner.cancel?.(reason)),
    close: async () => {},
  };
}

/** Does nothing: vitest's runner is part of the bundle. */
export const preloadVitest = (): void => {};

async function runFiles(
  paths: readonly string[],
  { runner, isCancelled }: RuleFileRunner,
  reporters: readonly RuleReporter[],
): Promise<void> {
  const unhandled: SerializedError[] = [];
  const note = (cause: unknown): void => void unhandled.push(errorOf(cause));
  const events = ["unhandledRejection", "uncaughtException"] as const;
  for (const event of events) process.on(event, note);
  const showConsole = hideConsole();
  try {
    for (const path of paths) if (!isCancelled()) await startTests([path], runner);
  } finally {
    showConsole();
    for (const event of events) process.off(event, note);
  }
  for (const reporter of reporters) reporter.onTestRunEnd([], unhandled);
}

const errorOf = (cause: unknown): SerializedError =>
  cause instanceof Error ? { name: cause.name, message: cause.message, stack: cause.stack } : { message: String(cause) };

/** Rules print their last requests for those who run vitest itself; the suite's own reports contain them. Answers how to undo this. */
function hideConsole(): () => void {
  const names = ["log", "info", "warn", "error", "debug"] as const;
  const originals = names.map((name) => [name, console[name]] as const);
  for (const name of names) console[name] = () => {};
  return () => originals.forEach(([name, original]) => void (console[name] = original));
}

// A thread of the same program collects rules without running them.

/** What a collecting thread gets. `paths` are those of vitest's runner. */
type Collecting = { paths: string[] } & Pick<VitestOptions, "titles" | "targets">;

/** What a collecting thread answers for each rule file. */
type CollectedRules = Pick<CollectedFile, "relativeModuleId"> & { tests: Pick<ReportedTest, "fullName" | "options">[] };

/**
 * Collects rules without running them, in a thread of the same bundle. A rule file defines its rules while it is evaluated, which happens
 * once in each thread: files collected in the thread that runs them would define no rule any more.
 */
async function collectInThread(collecting: Collecting): Promise<CollectedFile[]> {
  const thread = new Worker(new URL(import.meta.url), { workerData: collecting });
  try {
    const ended = once(thread, "exit").then(([code]) => {
      throw new Error(`the rules were not collected: the thread ended with code ${code}`);
    });
    const [files] = (await Promise.race([once(thread, "message"), ended])) as [CollectedRules[]];
    return files.map(({ relativeModuleId, tests }) => ({ relativeModuleId, children: { allTests: () => tests } }));
  } finally {
    await thread.terminate();
  }
}

/** In the thread: collects the rules of these files and posts them to the thread that started it. */
export async function postCollectedRules(): Promise<void> {
  const { paths, titles, targets } = workerData as Collecting;
  provideWorkerState(targets);
  const files = await collectTests(paths, createRuleFileRunner([], { titles }).runner);
  const collected = files.map((file): CollectedRules => {
    const { relativeModuleId, children } = fileOf(file, modesOf(file));
    return {
      relativeModuleId,
      tests: [...children.allTests()].map(({ fullName, options: { mode } }) => ({ fullName, options: { mode } })),
    };
  });
  parentPort?.postMessage(collected);
}

/** Sets what vitest's functions `inject` and `expect` read of the worker they run in; once in each thread. */
function provideWorkerState(targets: VitestOptions["targets"]): void {
  const config = { snapshotOptions: { expand: false }, expect: { poll: { timeout: stateLimitMs } } };
  Object.defineProperty(globalThis, "__vitest_worker__", { value: { config, providedContext: { targets: [...targets] }, ctx: {} } });
}
