// Replaces suite/command/vitest.ts in the package: runs the rule files in this process with vitest's runner and assertions, without vite.
// The rule files are part of the bundle, so that nothing is compiled and nothing is read from the disk.

import type { SerializedError } from "vitest";
import { startTests } from "vitest/internal/browser";
import { inOrder } from "../suite/command/measured.ts";
import type { RuleRunner, VitestOptions } from "../suite/command/vitest.ts";
import type { RuleReporter } from "../suite/report/reporter.ts";
import { target, useTarget } from "../suite/values/target.ts";
import { createRuleFileRunner, type RuleFileRunner, root } from "./rule-file-runner.ts";
import { collectInThread, provideWorkerState } from "./worker-threads.ts";

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
