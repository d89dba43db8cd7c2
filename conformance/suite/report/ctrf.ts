// ctrf.json: Common Test Report Format 0.0 (ctrf.io), a test for each rule. A known failure has the status "other".

import { failureText, firstLine, knownText, runErrorsOf } from "./failure-text.ts";
import { headlineOf } from "./headline.ts";
import { locationOf } from "./location.ts";
import { countsOf, type Rule, type Run } from "./run.ts";

const statuses = { passed: "passed", failed: "failed", "not run": "skipped" } as const;

export function ctrfOf(run: Run): string {
  const { passed, notAsked, failed, known, notRun } = countsOf(run.rules);
  const start = run.startedAt.getTime();
  const errors = runErrorsOf(run).map(({ name, text }) => ({ name, status: "other", duration: 0, suite: ["run"], message: text }));
  const tests = [...run.rules.map((rule) => testOf(rule, run)), ...errors];
  const summary = { tests: tests.length, passed: passed + notAsked, failed, skipped: notRun, pending: 0, other: known + errors.length };
  const { outcome, text } = headlineOf(run);
  return `${JSON.stringify(
    {
      reportFormat: "CTRF",
      specVersion: "0.0.0",
      results: {
        tool: { name: "namjai-conformance", version: run.versions.suite },
        summary: { ...summary, start, stop: start + Math.round(run.milliseconds) },
        tests,
        environment: { appName: run.implementation, extra: { url: run.server.url, contract: run.versions.contract } },
        extra: { outcome, headline: text, profile: run.profile, depth: run.depth, seed: run.seed, only: run.only },
      },
    },
    null,
    1,
  )}\n`;
}

function testOf(rule: Rule, run: Run): object {
  const { file, line } = locationOf(rule);
  return {
    name: rule.title.toWellFormed(),
    status: rule.known ? "other" : statuses[rule.state],
    duration: Math.round(rule.milliseconds),
    suite: rule.family.split("/"),
    filePath: file,
    line,
    ...(rule.why === null ? {} : { message: rule.why }),
    ...(rule.state === "failed"
      ? { message: (knownText(rule) ?? firstLine(rule)).toWellFormed(), trace: failureText(rule, run).toWellFormed() }
      : {}),
    ...(rule.known ? { rawStatus: "known failure", extra: { known: rule.known } } : {}),
  };
}
