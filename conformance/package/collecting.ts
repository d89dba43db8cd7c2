// Collects rules without running them, in a thread.

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { TestCase, TestModule } from "vitest/node";

import type { VitestOptions } from "../suite/command/vitest.ts";

/** What a collecting thread gets. `paths` are those of vitest's runner. */
export type Collecting = { paths: string[] } & Pick<VitestOptions, "titles" | "targets">;

/** What a collecting thread answers for each rule file: the members that `suite/command/list.ts` reads, without their methods. */
export type CollectedFile = Pick<TestModule, "relativeModuleId"> & {
  tests: (Pick<TestCase, "fullName"> & { options: Pick<TestCase["options"], "mode"> })[];
};

/**
 * Collects rules without running them, in a thread of the same bundle. A rule file defines its rules while it is evaluated, which happens
 * once in each thread: files collected in the thread that runs them would define no rule any more.
 */
export async function collectInThread(collecting: Collecting): Promise<TestModule[]> {
  const thread = new Worker(new URL(import.meta.url), { workerData: collecting });
  try {
    const ended = once(thread, "exit").then(([code]) => {
      throw new Error(`the rules were not collected: the thread ended with code ${code}`);
    });
    const [files] = (await Promise.race([once(thread, "message"), ended])) as [CollectedFile[]];
    return files.map(moduleOfCollected);
  } finally {
    await thread.terminate();
  }
}

const moduleOfCollected = ({ relativeModuleId, tests }: CollectedFile): TestModule =>
  ({ type: "module", relativeModuleId, children: { allTests: () => tests } }) as unknown as TestModule;
