// Writes all reports of a run: a file each, and what GitHub shows.

import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Redactor } from "../values/redact.ts";
import { knownText, locationOf, replayOf, runErrorsOf, summaryOf } from "./failure.ts";
import { badgeOf, harOf, junitOf, sarifOf } from "./formats.ts";
import { type FailureGroup, groupsOf, headlineOf, toneOf } from "./headline.ts";
import { htmlOf } from "./html.ts";
import { yamlOf } from "./result.ts";
import { countsOf, nameOf, type Run, reasonsOf } from "./run.ts";

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

// What GitHub shows: the summary of a job in Markdown, and annotations of lines (workflow commands).

const marks = { passed: "✅", known: "🟡", incomplete: "⚪", failed: "❌", "not measurable": "❌" };
const maxFailures = 20;

/** GitHub shows ten annotations of a step. */
const maxAnnotations = 10;

/** Returns the summary of the job in Markdown: headline, numbers, failures, and what was not run. */
export function githubSummaryOf(run: Run): string {
  const { outcome, text } = headlineOf(run);
  const errors = runErrorsOf(run).map((error) => fenced(error.text));
  const details = [...failures(run), ...known(run), ...notRun(run)];
  const parts = [`## ${marks[toneOf(run)]} Conformance: ${outcome}`, escaped(text), numbers(run), ...errors, ...details];
  return `${parts.join("\n\n")}\n`;
}

function numbers(run: Run): string {
  const { rules, passed, failed, known: accepted, notRun: missing, requests } = countsOf(run.rules);
  const cells = { implementation: run.implementation, profile: run.profile, depth: run.depth, seed: run.seed };
  return table({ ...cells, rules, passed, failed, known: accepted, "not run": missing, requests });
}

function table(cells: Record<string, string | number>): string {
  const row = (texts: readonly (string | number)[]): string => `| ${texts.map((one) => escaped(String(one))).join(" | ")} |`;
  return [row(Object.keys(cells)), row(Object.keys(cells).map(() => "---")), row(Object.values(cells))].join("\n");
}

function failures(run: Run): string[] {
  const groups = groupsOf(run.rules);
  const more = groups.length > maxFailures ? [`… and ${groups.length - maxFailures} more.`] : [];
  return [...groups.slice(0, maxFailures).map((group) => failurePart(group, run)), ...more];
}

function failurePart({ rules: [example, ...others] }: FailureGroup, run: Run): string {
  const same = others.length > 0 ? ` and ${others.length} more rules for the same reason` : "";
  const { file, line } = locationOf(example);
  const detail = [summaryOf(example), `replay: ${replayOf(example, run)}`, `contract: ${file}:${line}`].join("\n");
  return `**${escaped(example.family)}**: ${escaped(example.title)}${same}\n\n${fenced(detail)}`;
}

function known({ rules }: Run): string[] {
  const lines = rules.filter((rule) => rule.known).map((rule) => `- ${escaped(`${nameOf(rule)}: ${knownText(rule)}`)}`);
  return lines.length > 0 ? ["Known failures:", lines.join("\n")] : [];
}

function notRun(run: Run): string[] {
  const reasons = [...reasonsOf(run.rules)].map(([reason, some]) => `- ${some.length}: ${escaped(reason)}`);
  return reasons.length > 0 ? ["Rules that were not run:", reasons.join("\n")] : [];
}

/** Returns one `::error` command for each reason of failure. GitHub shows it at the line of spec/. */
export function githubErrorsOf(run: Run): string[] {
  const errors = runErrorsOf(run).map(({ text }) => command({ title: "conformance" }, text));
  const failed = groupsOf(run.rules).map(({ rules: [example, ...others] }) => {
    const { file, line } = locationOf(example);
    const same = others.length > 0 ? `\n${others.length} more rules failed for the same reason` : "";
    const text = `${example.title}\n${summaryOf(example)}${same}\nreplay: ${replayOf(example, run)}`;
    return command({ file, line: String(line), title: example.family }, text);
  });
  return [...errors, ...failed].slice(0, maxAnnotations);
}

function command(properties: Record<string, string>, message: string): string {
  const data = (text: string): string => text.toWellFormed().replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const value = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const pairs = Object.entries(properties).map(([name, text]) => `${name}=${value(text)}`);
  return `::error ${pairs.join(",")}::${data(message)}`;
}

/** Text in which Markdown finds no markup. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>#|~&]/g, (one) => (one === "<" ? "&lt;" : one === "&" ? "&amp;" : `\\${one}`));

/** A block of code, with a fence that the text does not contain. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text.toWellFormed()}\n${fence}`;
}
