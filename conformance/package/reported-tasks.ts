// Tells the suite's reporter of the tasks of vitest's runner.

import type { RunnerTask, RunnerTestCase, RunnerTestFile, RunnerTestSuite } from "vitest";

import type { ReportedFile, ReportedSuite, ReportedTest } from "../suite/report/reporter.ts";

/** The mode of each task when it was collected: skipping a rule while it runs changes the task's own mode. */
export type Modes = ReadonlyMap<RunnerTask, RunnerTask["mode"]>;

export const tasksOf = (task: RunnerTask): RunnerTask[] => (task.type === "suite" ? [task, ...task.tasks.flatMap(tasksOf)] : [task]);

export const modesOf = (file: RunnerTestFile): Modes => new Map(tasksOf(file).map((task) => [task, task.mode]));

export const fileOf = (file: RunnerTestFile, modes: Modes): ReportedFile => ({
  ...membersOf(file, modes),
  type: "module",
  relativeModuleId: file.name,
  diagnostic: () => ({ duration: file.result?.duration ?? 0 }),
});

export const testOf = (test: RunnerTestCase, modes: Modes): ReportedTest => ({
  fullName: fullNameOf(test),
  options: { mode: modes.get(test) },
  ...placeOf(test, modes),
  meta: () => test.meta,
  diagnostic: () => (test.result?.duration === undefined ? undefined : { duration: test.result.duration }),
  result: () => resultOf(test),
});

const suiteOf = (suite: RunnerTestSuite, modes: Modes): ReportedSuite => ({
  ...membersOf(suite, modes),
  type: "suite",
  fullName: fullNameOf(suite),
  ...placeOf(suite, modes),
});

/** The file that the task is in, and the suite that is directly around it, or the file. */
const placeOf = (task: RunnerTask, modes: Modes): { module: ReportedFile; parent: ReportedFile | ReportedSuite } => {
  const around = task.suite;
  const module = fileOf(task.file, modes);
  return { module, parent: around && around !== task.file ? suiteOf(around, modes) : module };
};

const membersOf = (suite: RunnerTestSuite, modes: Modes) => ({
  errors: () => suite.result?.errors ?? [],
  children: {
    allTests: () => tasksOf(suite).flatMap((task) => (task.type === "test" ? [testOf(task, modes)] : [])),
    suites: () => suite.tasks.flatMap((task) => (task.type === "suite" ? [suiteOf(task, modes)] : [])),
  },
});

function fullNameOf(task: RunnerTask): string {
  const { suite } = task;
  return suite && suite.name !== "" && suite !== task.file ? `${fullNameOf(suite)} > ${task.name}` : task.name;
}

function resultOf({ result, mode }: RunnerTestCase): ReturnType<ReportedTest["result"]> {
  if (!result && mode === "skip") return { state: "skipped" };
  if (result?.state === "pass") return { state: "passed" };
  if (result?.state === "fail") return { state: "failed", errors: result.errors ?? [] };
  if (result?.state === "skip") return { state: "skipped", note: "note" in result ? String(result.note) : undefined };
  return { state: "pending" };
}
