// conformance.sarif: SARIF 2.1.0 (OASIS). Each failed rule is a result at the line of spec/ that it comes from; a known one is suppressed.

import { createHash } from "node:crypto";

import { failureText, firstLine, runErrorsOf } from "./failure.ts";
import { headlineOf } from "./headline.ts";
import { locationOf } from "./location.ts";
import type { Rule, Run } from "./run.ts";

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
