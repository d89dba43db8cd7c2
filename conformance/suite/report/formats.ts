// Reports in formats of other programs: junit.xml, conformance.sarif, requests.har and badge.json.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { type LoggedRequest, leftOutFile } from "../client/send-once.ts";
import type { Redactor } from "../values/redact.ts";
import { failureText, firstLine, knownText, locationOf, runErrorsOf, summaryOf } from "./failure.ts";
import { plural } from "./format.ts";
import { type FailureGroup, groupsOf, headlineOf, isPartial, share, type Tone, toneOf } from "./headline.ts";
import { countsOf, digestsOf, families, type Rule, type Run, sum } from "./run.ts";

// junit.xml, valid against the schema of Jenkins: one test suite per rule family, one test case per rule.

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
  return element("testcase", attributes, [element("failure", { message: summaryOf(rule), type: "rule" }, [text])]);
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

// conformance.sarif: SARIF 2.1.0 (OASIS). Each failed rule is a result at the line of spec/ that it comes from; a known one is suppressed.

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

export function sarifOf(run: Run): string {
  const { outcome, text } = headlineOf(run);
  const failed = run.rules.filter(({ state }) => state === "failed");
  const driver = { name: "namjai-conformance", version: run.versions.suite, rules: run.rules.map(descriptorOf) };
  const settings = { implementation: run.implementation, contract: run.versions.contract, profile: run.profile, depth: run.depth };
  const whole = {
    tool: { driver },
    invocations: [invocationOf(run)],
    originalUriBaseIds: { SRCROOT: { description: { text: "The project's folder." } } },
    results: failed.map((rule) => resultOf(rule, run)),
    columnKind: "unicodeCodePoints",
    properties: { outcome, headline: text, seed: run.seed, ...settings },
  };
  return `${JSON.stringify({ $schema: schema, version: "2.1.0", runs: [whole] }, null, 1)}\n`;
}

/** A rule that was not run is disabled in this run, with the reason. */
function descriptorOf(rule: Rule): object {
  return {
    id: idOf(rule),
    name: `${rule.family} > ${rule.title}`.toWellFormed(),
    shortDescription: { text: rule.title.toWellFormed() },
    defaultConfiguration: { level: "error", enabled: rule.state !== "not run" },
    properties: { family: rule.family, state: rule.state, ...(rule.why === null ? {} : { why: rule.why, required: rule.required }) },
  };
}

function resultOf(rule: Rule, run: Run): object {
  const { file, line } = locationOf(rule);
  const text = `${rule.title}\n${failureText(rule, run)}`.toWellFormed();
  return {
    ruleId: idOf(rule),
    ruleIndex: run.rules.indexOf(rule),
    level: "error",
    kind: "fail",
    message: { text },
    locations: [{ physicalLocation: { artifactLocation: { uri: file, uriBaseId: "SRCROOT" }, region: { startLine: line } } }],
    ...(rule.known ? { suppressions: [suppressionOf(rule.known)] } : {}),
    partialFingerprints: { "rule/v1": hash(`${rule.family} > ${rule.title}`), "reason/v1": hash(firstLine(rule)) },
  };
}

const suppressionOf = ({ reason, expires }: NonNullable<Rule["known"]>): object => ({
  kind: "external",
  status: "accepted",
  justification: reason.toWellFormed(),
  properties: { expires },
});

function invocationOf(run: Run): object {
  const end = new Date(run.startedAt.getTime() + run.milliseconds);
  const notifications = runErrorsOf(run).map(({ text }) => ({ level: "error", message: { text: text.toWellFormed() } }));
  return {
    executionSuccessful: run.verdict !== "not measurable" && run.errors.length === 0,
    startTimeUtc: run.startedAt.toISOString(),
    endTimeUtc: end.toISOString(),
    toolExecutionNotifications: notifications,
  };
}

/** An id that does not change with the order of the rules: the family, and a hash of the title. */
const idOf = ({ family, title }: Rule): string => `${family}/${hash(title).slice(0, 8)}`;

const hash = (text: string): string => createHash("sha256").update(text.toWellFormed()).digest("hex").slice(0, 16);

// requests.har: all requests in HAR 1.2, which browsers and proxies can open.

type Pair = { name: string; value: string };

/** Converts the requests that the suite wrote to `file` into HAR, without secrets. */
export function harOf(file: string, redact: Redactor): string {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const requests = lines.map((line) => JSON.parse(line) as LoggedRequest);
  return harOfRequests(requests, redact, statSync(leftOutFile(file), { throwIfNoEntry: false })?.size);
}

/** Converts requests into HAR, without secrets. `leftOut`: number of requests that the size of the file left out. */
export function harOfRequests(requests: readonly LoggedRequest[], redact: Redactor, leftOut = 0): string {
  const entries = requests.map((sent) => entryOf(sent, redact));
  const comment = leftOut > 0 ? { comment: `${leftOut} later requests are left out: --har-megabytes limits the size of this file` } : {};
  return JSON.stringify({ log: { version: "1.2", creator: { name: "namjai-conformance", version: "1" }, entries, ...comment } });
}

function entryOf(sent: LoggedRequest, redact: Redactor): object {
  const time = sent.milliseconds;
  return {
    startedDateTime: new Date(sent.startedAt).toISOString(),
    time,
    comment: sent.rule,
    request: {
      method: sent.method,
      url: redact(sent.url),
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(sent.requestHeaders, redact),
      queryString: queryOf(redact(sent.url)),
      ...(sent.requestBody === null ? {} : { postData: { mimeType: typeOf(sent.requestHeaders), text: redact(sent.requestBody) } }),
      headersSize: -1,
      bodySize: sent.requestBody === null ? 0 : Buffer.byteLength(sent.requestBody),
    },
    response: {
      status: sent.status,
      statusText: "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: pairs(sent.responseHeaders, redact),
      content: { size: Buffer.byteLength(sent.responseBody), mimeType: typeOf(sent.responseHeaders), text: redact(sent.responseBody) },
      redirectURL: redact(headerOf(sent.responseHeaders, "location")),
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
  };
}

const secretHeaders = /^(cookie|set-cookie|authorization)$/i;

const pairs = (headers: readonly [string, string][], redact: Redactor): Pair[] =>
  headers.map(([name, value]) => ({ name, value: secretHeaders.test(name) && !value.startsWith("Bearer $") ? "…" : redact(value) }));

function queryOf(url: string): Pair[] {
  const at = url.indexOf("?");
  return at < 0 ? [] : [...new URLSearchParams(url.slice(at + 1))].map(([name, value]) => ({ name, value }));
}

const headerOf = (headers: readonly [string, string][], wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";

const typeOf = (headers: readonly [string, string][]): string => headerOf(headers, "content-type");

// badge.json: the endpoint schema of shields.io.

const colours: Record<Tone, string> = {
  passed: "brightgreen",
  known: "yellow",
  incomplete: "lightgrey",
  failed: "red",
  "not measurable": "lightgrey",
};

/**
 * Green only where every required rule of the profile was run and none failed; yellow with known failures; grey where one was not run,
 * as in a selection or a shard.
 */
export function badgeOf(run: Run): string {
  const tone = toneOf(run);
  const partial = (tone === "passed" || tone === "known") && isPartial({ ...run, filesLeftOut: run.leftOut.length });
  const shown = partial ? "incomplete" : tone;
  const label = run.profile === "contract" ? "conformance" : `conformance (${run.profile})`;
  const badge = { schemaVersion: 1, label, message: messageOf(run, shown), color: colours[shown], isError: tone === "failed" };
  return `${JSON.stringify(badge)}\n`;
}

function messageOf({ rules, only, changedSince, shard, depth }: Run, tone: Tone): string {
  const { rules: all, passed, notAsked, failed, known, notRun } = countsOf(rules);
  if (tone === "failed") return failed > 0 ? `${failed} of ${all} rules failed` : "failed";
  if (tone === "not measurable") return tone;
  const accepted = known > 0 ? `, ${plural(known, "known failure")}` : "";
  if (tone !== "incomplete") return `${passed} rules passed${accepted}${depth === "full" ? "" : `, ${depth}`}`;
  if (shard !== null) return `incomplete: shard ${shard.index} of ${shard.count}`;
  return notRun > 0
    ? `incomplete: ${share(notRun, all - notAsked)} not run`
    : `incomplete: ${only === null && changedSince === null ? depth : "a selection"}`;
}
