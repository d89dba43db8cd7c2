// results.tap: Test Anything Protocol 14, a test point for each rule. A known failure has the directive TODO.

import { failureText, firstLine, runErrorsOf } from "./failure-text.ts";
import { headlineOf } from "./headline.ts";
import { locationOf } from "./location.ts";
import type { Rule, Run } from "./run.ts";

export function tapOf(run: Run): string {
  const points = [...run.rules.map((rule) => ruleLines(rule, run)), ...runErrorsOf(run).map(errorLines)];
  const lines = points.flatMap(([head = "", ...more], index) => [head.replace("ok", `ok ${index + 1}`), ...more]);
  const comments = [headlineOf(run).text, `profile ${run.profile}, ${run.depth}, seed ${run.seed}`].map((text) => `# ${oneLine(text)}`);
  return `${["TAP version 14", ...comments, `1..${points.length}`, ...lines].join("\n")}\n`;
}

function ruleLines(rule: Rule, run: Run): string[] {
  const name = description(`${rule.family} > ${rule.title}`);
  if (rule.state === "not run") return [`ok - ${name} # SKIP ${description(rule.why ?? "")}`];
  if (rule.state === "passed") return [`ok - ${name}`];
  const { file, line } = locationOf(rule);
  const todo = rule.known ? ` # TODO ${description(`${rule.known.reason} (until ${rule.known.expires})`)}` : "";
  return [`not ok - ${name}${todo}`, ...diagnostics({ message: firstLine(rule), at: `${file}:${line}`, detail: failureText(rule, run) })];
}

const errorLines = ({ name, text }: { name: string; text: string }): string[] => [
  `not ok - ${description(`run > ${name}`)}`,
  ...diagnostics({ message: text }),
];

/** A YAML block. A JSON text is YAML as well, and has no line that could end the block. */
const diagnostics = (members: Record<string, string>): string[] => [
  "  ---",
  ...Object.entries(members).map(([name, value]) => `  ${name}: ${JSON.stringify(value.toWellFormed())}`),
  "  ...",
];

/** Escapes what TAP 14 reads as the beginning of a directive. */
const description = (text: string): string => oneLine(text).replace(/[\\#]/g, "\\$&");

const oneLine = (text: string): string => text.toWellFormed().replace(/[\r\n\u2028\u2029]+/g, " ");
