// Shows the tasks of vitest's runner as the objects that vitest passes to reporters: the members that this suite's reporter reads.

import type { RunnerTask, RunnerTestCase, RunnerTestFile, RunnerTestSuite } from "vitest";
import type { TestCase, TestModule, TestResult, TestSuite } from "vitest/node";

/** The mode of each task when it was collected: skipping a rule while it runs changes the task's own mode. */
export type Modes = ReadonlyMap<RunnerTask, RunnerTask["mode"]>;

export const tasksOf = (task: RunnerTask): RunnerTask[] => (task.type === "suite" ? [task, ...task.tasks.flatMap(tasksOf)] : [task]);

export const modesOf = (file: RunnerTestFile): Modes => new Map(tasksOf(file).map((task) => [task, task.mode]));

export const moduleOf = (file: RunnerTestFile, modes: Modes): TestModule =>
  ({
    ...membersOf(file, modes),
    type: "module",
    moduleId: file.filepath,
    relativeModuleId: file.name,
    diagnostic: () => ({ duration: file.result?.duration ?? 0 }),
  }) as unknown as TestModule;

export const testOf = (test: RunnerTestCase, modes: Modes): TestCase =>
  ({
    type: "test",
    id: test.id,
    name: test.name,
    fullName: fullNameOf(test),
    options: { mode: modes.get(test) },
    ...placeOf(test, modes),
    meta: () => test.meta,
    diagnostic: () => (test.result?.duration === undefined ? undefined : { duration: test.result.duration }),
    result: () => resultOf(test),
  }) as unknown as TestCase;

const suiteOf = (suite: RunnerTestSuite, modes: Modes): TestSuite =>
  ({ ...membersOf(suite, modes), type: "suite", ...placeOf(suite, modes) }) as unknown as TestSuite;

/** The file that the task is in, and the suite that is directly around it, or the file. */
const placeOf = (task: RunnerTask, modes: Modes): { module: TestModule; parent: TestModule | TestSuite } => {
  const around = task.suite;
  const module = moduleOf(task.file, modes);
  return { module, parent: around && around !== task.file ? suiteOf(around, modes) : module };
};

const membersOf = (suite: RunnerTestSuite, modes: Modes) => ({
  id: suite.id,
  name: suite.name,
  fullName: fullNameOf(suite),
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

function resultOf({ result, mode }: RunnerTestCase): TestResult {
  if (!result && mode === "skip") return { state: "skipped", note: undefined, errors: undefined };
  if (result?.state === "pass") return { state: "passed", errors: undefined };
  if (result?.state === "fail") return { state: "failed", errors: result.errors ?? [] };
  if (result?.state === "skip") return { state: "skipped", note: "note" in result ? String(result.note) : undefined, errors: undefined };
  return { state: "pending", errors: undefined };
}
