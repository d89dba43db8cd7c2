// The running test, and how it ends as "not run".

import { TestRunner } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Why the rule was not run, where that turned out while it ran. */
    notRun?: string;
  }
}

/** The running test; undefined while files are collected and in hooks around a whole file. */
export const running = (): ReturnType<typeof TestRunner.getCurrentTest> | undefined => TestRunner.getCurrentTest();

/** Ends the running rule as "not run", also where the error is caught. */
export function endAsNotRun(reason: string): never {
  const test = running();
  if (test) {
    test.meta.notRun = reason;
    test.context.skip(`not run: ${reason}`);
  }
  throw new Error(`not run: ${reason}`);
}

/** Whether vitest's `skip` has thrown the error, in this rule or in what it shares with others. */
export const isNotRun = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "VITEST_PENDING";
