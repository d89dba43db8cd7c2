// Converts the events of a runner into results of rules.

import type { SerializedError, TaskMeta, TestError } from "vitest";
import { comparisonIn } from "../client/check-answer.ts";
import { noFailure, plain } from "../client/failure.ts";
import { familyOf, isOfflineRule } from "../contract/offline-rules.ts";
import { timeReason } from "../values/depth.ts";
import type { Redactor } from "../values/redact.ts";
import { explainTimeout } from "../values/run-settings.ts";
import { fieldsOf } from "../values/score.ts";
import type { Rule } from "./run.ts";

/**
 * What a runner of rules tells of them: vitest's own objects are such, and the package makes its own (package/rule-file-runner.ts). These
 * members are all that the suite reads.
 */
export type ReportedTest = {
  fullName: string;
  module: Pick<ReportedFile, "relativeModuleId">;
  parent: ReportedFile | ReportedSuite;
  /** The mode when the test was collected: `run`, or why it is not selected. */
  options: { mode?: string | undefined };
  meta: () => TaskMeta;
  diagnostic: () => { duration: number } | undefined;
  result: () => ReportedResult;
};

type ReportedResult = {
  readonly state: "passed" | "failed" | "skipped" | "pending";
  errors?: readonly TestError[] | undefined;
  note?: string | undefined;
};

type ReportedChildren = { allTests: () => Iterable<ReportedTest>; suites: () => Iterable<ReportedSuite> };

export type ReportedSuite = {
  type: "suite";
  fullName: string;
  module: Pick<ReportedFile, "relativeModuleId">;
  parent: ReportedFile | ReportedSuite;
  errors: () => readonly SerializedError[];
  children: ReportedChildren;
};

/** A rule file. */
export type ReportedFile = {
  type: "module";
  relativeModuleId: string;
  errors: () => readonly SerializedError[];
  children: ReportedChildren;
  diagnostic: () => { duration: number };
};

export type RuleReporter = {
  onTestModuleCollected: (file: ReportedFile) => void;
  onTestCaseResult: (test: ReportedTest) => void;
  onTestModuleEnd: (file: ReportedFile) => void;
  /** `errors`: those outside of all files. */
  onTestRunEnd: (files: unknown, errors: readonly SerializedError[]) => void;
};

/** Receives the events of a run. */
export type Listener = {
  /** A rule file starts; `rules` is the number of its rules. */
  familyStarts: (family: string, rules: number) => void;
  rule: (rule: Rule) => void;
  /** The titles of all rules of a file, also of those that `--only` excludes. */
  collected: (family: string, titles: readonly string[]) => void;
  familyEnds: (family: string, milliseconds: number) => void;
  /** What a run says beside its results. */
  note: (text: string) => void;
  /** An error outside of any rule. */
  error: (message: string) => void;
};

/** Converts the runner's events into rules with results. Rules that `--only` excludes are not reported. */
export const reporter = (listener: Listener, redact: () => Redactor): RuleReporter => ({
  onTestModuleCollected: (module) => {
    const family = familyOf(module.relativeModuleId);
    listener.collected(
      family,
      [...module.children.allTests()].map(({ fullName }) => fullName),
    );
    listener.familyStarts(family, countSelected(module));
  },
  onTestCaseResult: (test) => {
    const rule = ruleOf(test, redact);
    if (rule) listener.rule(rule);
    for (const text of test.meta().droppedExamples ?? []) listener.note(redact()(text));
  },
  onTestModuleEnd: (module) => {
    for (const message of errorsOf(module)) listener.error(redact()(message));
    listener.familyEnds(familyOf(module.relativeModuleId), module.diagnostic().duration);
  },
  onTestRunEnd: (_, errors) => {
    for (const { message, stack } of errors) listener.error(redact()(stack ?? message));
  },
});

const countSelected = (module: ReportedFile): number =>
  [...module.children.allTests()].filter(({ options }) => options.mode === "run").length;

function ruleOf(test: ReportedTest, redact: () => Redactor): Rule | null {
  const result = test.result();
  const { score, traffic, operations } = test.meta();
  if (result.state === "skipped" && test.options.mode !== "run") return null;
  const ran = result.state === "passed" || (result.state === "failed" && !isEndedByTime(test));
  return {
    family: familyOf(test.module.relativeModuleId),
    title: test.fullName,
    offline: isOfflineRule(test.meta(), familyOf(test.module.relativeModuleId)),
    state: ran ? result.state : "not run",
    ...(ran ? { why: null, required: true } : notRunReasonOf(test)),
    milliseconds: test.diagnostic()?.duration ?? 0,
    tried: ran ? fieldsOf(score ?? { tried: {} }) : {},
    chosenFrom: score?.chosenFrom ?? [],
    leftOut: score?.leftOut ?? 0,
    leftOutForTime: (score?.leftOutForTime ?? 0) + (score?.leftOutForRate ?? 0),
    edges: { ...score?.edges },
    requests: traffic?.requests ?? 0,
    operations: [...(operations ?? [])].sort(),
    digest: traffic?.digest ?? "0",
    failure: ran && result.state === "failed" ? failureOf(test, redact()) : null,
  };
}

/** Whether a rule failed although no value did, after values were left out that its other checks may need. */
const isEndedByTime = (test: ReportedTest): boolean => (test.meta().score?.leftOutForTime ?? 0) > 0 && !test.meta().failure?.value;

/** A rule says "not applicable: …" when it is about an optional part that the server does not offer; others are for larger runs only. */
const notRequired = /^not applicable: |^only with (?:--depth full|`make attack`)/;

/** The reason that the rule gave, or its preparation. */
function notRunReasonOf(test: ReportedTest): Pick<Rule, "why" | "required"> {
  const result = test.result();
  const noted = test.meta().notRun ?? ("note" in result && result.note) ?? null;
  const ended = isEndedByTime(test) ? timeReason : null;
  const why = (noted || ended || refusalsAround(test.parent)[0] || "the preparation of this rule failed").replace(notRun, "");
  return { why, required: !notRequired.test(why) };
}

/** A library may put words of its own before it. */
const notRun = /^(?:.*: )?not run: /;

/** Why the preparation of the suite or of one around it was not run. */
function refusalsAround(suite: ReportedFile | ReportedSuite): string[] {
  const own = suite.errors().flatMap(({ message }) => (notRun.test(message) ? [plain(message)] : []));
  return suite.type === "suite" ? [...own, ...refusalsAround(suite.parent)] : own;
}

function failureOf(test: ReportedTest, redact: Redactor): Rule["failure"] {
  const errors = test.result().errors ?? [];
  const noted = test.meta().failure ?? noFailure;
  const [{ expected, actual, message: text = "" } = {}] = errors;
  const compared = expected !== undefined && actual !== undefined ? comparisonIn(text, shown(expected), shown(actual)) : null;
  const comparison = noted.comparison ?? compared;
  // The comparison replaces vitest's diff.
  const texts = errors.map(({ message, diff }) => [explainTimeout(plain(message)), comparison ? "" : diff].filter(Boolean).join("\n"));
  return { ...noted, comparison, message: shown(texts.join("\n")) };

  function shown(text: unknown): string {
    return redact(plain(typeof text === "string" ? text : JSON.stringify(text, null, 2)));
  }
}

function errorsOf(suite: ReportedFile | ReportedSuite): string[] {
  const nested = [...suite.children.suites()].flatMap(errorsOf);
  const name = suite.type === "module" ? suite.relativeModuleId : `${suite.module.relativeModuleId} > ${suite.fullName}`;
  const errors = suite.errors().filter(({ message }) => !notRun.test(message));
  return [...errors.map(({ message }) => `${name}: ${explainTimeout(plain(message))}`), ...nested];
}
