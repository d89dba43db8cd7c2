// Runs rule files from the bundle with vitest's runner, and tells the suite's reporter of its tasks.

import type { RunnerTask, RunnerTaskEventPack, RunnerTaskResultPack, RunnerTestCase, RunnerTestFile, RunnerTestSuite } from "vitest";
import type { SerializedConfig, VitestRunner } from "vitest/runtime";
import { prepareRules } from "../suite/client/prepare-rules.ts";
import type { Timeouts } from "../suite/command/vitest.ts";
import type { ReportedFile, ReportedSuite, ReportedTest, RuleReporter } from "../suite/report/reporter.ts";
import { preparationLimit, timeLimits } from "../suite/values/run-settings.ts";
import { importRules } from "./rule-modules.ts";

/** Stands for `conformance/`: names of rule files are relative to it. */
export const root = "/conformance";

const setupFile = "before-each-rule";
const usualTimeouts = { rule: timeLimits.rule * 1000, preparation: preparationLimit * 1000 };

/** `runner` runs rule files for vitest's `startTests`; `isCancelled`: whether the run was ended early. */
export type RuleFileRunner = { runner: VitestRunner; isCancelled: () => boolean };

/** Creates a runner that imports rule files from the bundle and passes vitest's events to the reporters. */
export function createRuleFileRunner(reporters: readonly RuleReporter[], { titles, timeouts = usualTimeouts }: Options): RuleFileRunner {
  let cancelled = false;
  const tasks = new Map<string, RunnerTask>();
  const modes = new Map<RunnerTask, RunnerTask["mode"]>();
  const skipIfCancelled = (task: RunnerTask): void => {
    if (cancelled) task.mode = "skip";
  };
  const runner: VitestRunner = {
    config: configOf(titles, timeouts),
    importFile: (path, source) => (source === "setup" ? prepareRules() : importRules(path.slice(root.length + 1))),
    onCollected: (files) => {
      for (const file of files) noteTasks(file, tasks, modes);
      for (const file of files) for (const reporter of reporters) reporter.onTestModuleCollected(fileOf(file, modes));
    },
    onBeforeRunSuite: skipIfCancelled,
    onBeforeRunTask: skipIfCancelled,
    onTaskUpdate: async (_: RunnerTaskResultPack[], events: RunnerTaskEventPack[]) => {
      for (const [id, event] of events) for (const reporter of reporters) report(reporter, tasks.get(id), event, modes);
    },
    cancel: () => {
      cancelled = true;
    },
  };
  return { runner, isCancelled: () => cancelled };
}

/** `titles`: of the rules to run; undefined: all. */
type Options = { titles: RegExp | undefined; timeouts?: Timeouts | undefined };

function noteTasks(file: RunnerTestFile, tasks: Map<string, RunnerTask>, modes: Map<RunnerTask, RunnerTask["mode"]>): void {
  for (const task of tasksOf(file)) tasks.set(task.id, task);
  for (const [task, mode] of modesOf(file)) modes.set(task, mode);
}

function report(reporter: RuleReporter, task: RunnerTask | undefined, event: RunnerTaskEventPack[1], modes: Modes): void {
  if (task?.type === "test" && event === "test-finished") reporter.onTestCaseResult(testOf(task, modes));
  const ended = event === "suite-finished" || event === "suite-failed-early";
  if (task?.type === "suite" && task === task.file && ended) reporter.onTestModuleEnd(fileOf(task.file, modes));
}

/** The settings of conformance/vitest.config.ts that vitest's runner reads; the others have vitest's default values. */
const configOf = (titles: RegExp | undefined, { rule, preparation }: Timeouts): SerializedConfig =>
  ({
    root,
    setupFiles: [setupFile],
    testNamePattern: titles,
    taskTitleValueFormatTruncate: 200,
    testTimeout: rule,
    hookTimeout: preparation,
    retry: 0,
    repeats: 0,
    maxConcurrency: 5,
    passWithNoTests: true,
    allowOnly: false,
    includeTaskLocation: false,
    tags: [],
    strictTags: false,
    sequence: { shuffle: false, concurrent: false, seed: 0, hooks: "stack", setupFiles: "parallel" },
  }) as unknown as SerializedConfig;

// Tells the suite's reporter of the tasks of vitest's runner.

/** The mode of each task when it was collected: skipping a rule while it runs changes the task's own mode. */
type Modes = ReadonlyMap<RunnerTask, RunnerTask["mode"]>;

const tasksOf = (task: RunnerTask): RunnerTask[] => (task.type === "suite" ? [task, ...task.tasks.flatMap(tasksOf)] : [task]);

export const modesOf = (file: RunnerTestFile): Modes => new Map(tasksOf(file).map((task) => [task, task.mode]));

export const fileOf = (file: RunnerTestFile, modes: Modes): ReportedFile => ({
  ...membersOf(file, modes),
  type: "module",
  relativeModuleId: file.name,
  diagnostic: () => ({ duration: file.result?.duration ?? 0 }),
});

const testOf = (test: RunnerTestCase, modes: Modes): ReportedTest => ({
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
