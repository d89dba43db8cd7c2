// What the threads of a run need: one that collects rules without running them, and the state that vitest reads of its worker.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { CollectedFile, VitestOptions } from "../suite/command/vitest.ts";
import type { ReportedTest } from "../suite/report/reporter.ts";
import { stateLimitMs } from "../suite/values/run-settings.ts";

/** What a collecting thread gets. `paths` are those of vitest's runner. */
export type Collecting = { paths: string[] } & Pick<VitestOptions, "titles" | "targets">;

/** What a collecting thread answers for each rule file. */
export type CollectedRules = Pick<CollectedFile, "relativeModuleId"> & { tests: Pick<ReportedTest, "fullName" | "options">[] };

/**
 * Collects rules without running them, in a thread of the same bundle. A rule file defines its rules while it is evaluated, which happens
 * once in each thread: files collected in the thread that runs them would define no rule any more.
 */
export async function collectInThread(collecting: Collecting): Promise<CollectedFile[]> {
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

// What vitest's functions read of their worker, set by the package itself.

/** Sets what vitest's functions `inject` and `expect` read of the worker they run in; once in each thread. */
export function provideWorkerState(targets: VitestOptions["targets"]): void {
  const config = { snapshotOptions: { expand: false }, expect: { poll: { timeout: stateLimitMs } } };
  Object.defineProperty(globalThis, "__vitest_worker__", { value: { config, providedContext: { targets: [...targets] }, ctx: {} } });
}
