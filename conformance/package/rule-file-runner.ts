// Runs rule files from the bundle with vitest's runner.

import type { RunnerTask, RunnerTaskEventPack, RunnerTaskResultPack, RunnerTestFile } from "vitest";
import type { SerializedConfig, VitestRunner } from "vitest/runtime";
import { prepareRules } from "../suite/client/prepare-rules.ts";
import type { Timeouts } from "../suite/command/vitest.ts";
import type { RuleReporter } from "../suite/report/reporter.ts";
import { preparationLimit, timeLimits } from "../suite/values/time-limits.ts";
import { fileOf, type Modes, modesOf, tasksOf, testOf } from "./reported-tasks.ts";
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
