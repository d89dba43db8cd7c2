// junit.xml, valid against the schema of Jenkins: one test suite per rule family, one test case per rule.

import { hostname } from "node:os";

import { digestsOf } from "./digest.ts";
import { failureText, firstLine, knownText, runErrorsOf } from "./failure.ts";
import { type FailureGroup, groupsOf } from "./reasons.ts";
import { countsOf, families, type Rule, type Run, sum } from "./run.ts";

export function junitOf(run: Run): string {
  const groups = groupsOf(run.rules);
  const suites = [...families(run.rules)].map(([family, rules], id) => suiteOf(family, rules, id, { ...run, groups }));
  const extra = [...skippedFiles(run), ...runErrors(run)];
  const { rules, failed } = countsOf(run.rules);
  const bad = run.errors.length + (run.verdict === "not measurable" ? 1 : 0);
  const attributes = { name: "conformance", tests: rules + extra.length, failures: failed, errors: bad, time: time(run.milliseconds) };
  const others = extra.length > 0 ? [suiteOfCases(extra, suites.length, bad, run)] : [];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", attributes, [...suites, ...others])}\n`;
}

/** A run with its failed rules grouped by reason. */
type GroupedRun = Run & { groups: readonly FailureGroup[] };

function suiteOf(family: string, rules: readonly Rule[], id: number, run: GroupedRun): string {
  const { failed, known, notRun } = countsOf(rules);
  const attributes = {
    ...commonAttributes(family, id, run),
    tests: rules.length,
    failures: failed,
    errors: 0,
    skipped: notRun + known,
    time: time(sum(rules.map(({ milliseconds }) => milliseconds))),
  };
  return element("testsuite", attributes, [properties(run), ...rules.map((rule) => caseOf(rule, run))]);
}

const commonAttributes = (name: string, id: number, { startedAt }: Run): Record<string, string | number> => ({
  name,
  timestamp: startedAt.toISOString().slice(0, 19),
  hostname: hostname(),
  id,
});

function properties({ server, profile, depth, seed, rules }: Run): string {
  const digests = digestsOf(rules).map(({ folder, digest }): [string, string] => [`digest ${folder}`, digest]);
  const pairs = [["server", server.url], ["profile", profile], ["depth", depth], ["seed", String(seed)], ...digests];
  return element(
    "properties",
    {},
    pairs.map(([name = "", value = ""]) => element("property", { name, value })),
  );
}

function caseOf(rule: Rule, run: GroupedRun): string {
  const attributes = { classname: rule.family, name: rule.title, time: time(rule.milliseconds) };
  if (rule.state === "not run") return element("testcase", attributes, [element("skipped", { message: rule.why ?? "" })]);
  const known = knownText(rule);
  if (known !== null) return element("testcase", attributes, [element("skipped", { message: known })]);
  if (rule.state === "passed") return element("testcase", attributes);
  const text = escaped([failureText(rule, run), ...groupLine(rule, run)].join("\n"));
  return element("testcase", attributes, [element("failure", { message: firstLine(rule), type: "rule" }, [text])]);
}

/** Names the reason that the rule shares with other failed rules; nothing when it fails alone. */
function groupLine(rule: Rule, { groups }: GroupedRun): string[] {
  const group = groups.find((one) => one.rules.includes(rule));
  return group && group.rules.length > 1 ? [`same reason: ${group.rules.length} rules failed for this reason: ${group.reason}`] : [];
}

/** Rule files that were not run, as skipped test cases. */
const skippedFiles = (run: Run): string[] =>
  run.leftOut.map(({ family, reason }) =>
    element("testcase", { classname: family, name: "(the whole rule file)", time: "0" }, [element("skipped", { message: reason })]),
  );

/** Errors outside of any rule, as test cases: a run with such errors must not be reported as passed. */
const runErrors = (run: Run): string[] =>
  runErrorsOf(run).map(({ name, text }) =>
    element("testcase", { classname: "run", name, time: "0" }, [
      element("error", { message: text.split("\n")[0] ?? "", type: "run" }, [escaped(text)]),
    ]),
  );

function suiteOfCases(cases: readonly string[], id: number, errors: number, run: Run): string {
  const attributes = {
    ...commonAttributes("run", id, run),
    tests: cases.length,
    failures: 0,
    errors,
    skipped: run.leftOut.length,
    time: "0",
  };
  return element("testsuite", attributes, [properties(run), ...cases]);
}

const time = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);

function element(name: string, attributes: Record<string, string | number>, content: readonly string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return content.length === 0 ? `<${name}${written.join("")}/>` : `<${name}${written.join("")}>${content.join("\n")}</${name}>`;
}

/** Escapes text for XML. XML 1.0 cannot represent most control characters and lone surrogates, so U+FFFD replaces them. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
