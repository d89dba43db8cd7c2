// Writes all reports of a run.

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Redactor } from "../values/redact.ts";
import { badgeOf, harOf, junitOf, sarifOf } from "./formats.ts";
import { githubErrorsOf, githubSummaryOf } from "./github.ts";
import { htmlOf } from "./html.ts";
import { yamlOf } from "./result.ts";
import type { Run } from "./run.ts";

/** Every report that is made from the events of a run, by file name. All are written always. */
export const formats: Record<string, (run: Run) => string> = {
  "report.html": htmlOf,
  "junit.xml": junitOf,
  "conformance.sarif": sarifOf,
  "summary.md": githubSummaryOf,
  "result.yaml": yamlOf,
  "badge.json": badgeOf,
};

/** Creates the folder for the reports and removes those of an earlier run. */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of [...Object.keys(formats), "events.ndjson", "requests.har"]) rmSync(join(folder, name), { force: true });
}

/** Writes the reports of a finished run. */
export function writeReports(folder: string, run: Run): void {
  for (const [name, format] of Object.entries(formats)) writeFileSync(join(folder, name), format(run));
}

/** In a job of GitHub: appends the summary to the file that GitHub names, and returns the lines with which GitHub annotates spec/. */
export function reportToGithub(run: Run, env: NodeJS.ProcessEnv): string[] {
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, githubSummaryOf(run));
  return env.GITHUB_ACTIONS === "true" ? githubErrorsOf(run) : [];
}

/** Writes requests.har from `sent`, the file to which the suite wrote its requests. */
export const writeHar = (folder: string, sent: string, redact: Redactor): void =>
  writeFileSync(join(folder, "requests.har"), harOf(sent, redact));
