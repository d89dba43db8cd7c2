// A failure as plain text, for formats that have one field for it.

import { replayOf, startHint, startOf } from "./replay.ts";
import type { Rule, Run } from "./run.ts";

/** The first line of the reason. */
export const firstLine = ({ failure }: Rule): string => (failure?.reason ?? failure?.message ?? "").split("\n")[0] ?? "";

/** Value, reason, both sides of the assertion, requests with answers, and the commands to repeat it: a line or more for each. */
export function failureText(rule: Rule, run: Run): string {
  const { failure } = rule;
  if (!failure) return "";
  const { value, reason, message, comparison, others, exchanges } = failure;
  const start = startOf(rule, run);
  return [
    ...(value ? [`value: ${value}`] : []),
    `reason: ${reason ?? message}`,
    ...(comparison ? [`expected: ${comparison.expected}`, `actual: ${comparison.actual}`] : []),
    ...others.map((other) => `also: ${other}`),
    ...exchanges.flatMap(({ curl, status, body, decisive }) => [
      `${decisive ? "request" : otherRequest}: ${curl}`,
      `answer: ${status ?? "none"} ${body}`,
    ]),
    ...(start ? [`start: ${start}  # ${startHint}`] : []),
    `replay: ${replayOf(rule, run)}`,
  ].join("\n");
}

/** In words, of a failure that the baseline names; null: it is not known. */
export const knownText = ({ known }: Pick<Rule, "known">): string | null =>
  known ? `known failure: ${known.reason} (until ${known.expires})` : null;

/** What reports call a request of a failed rule whose answer did not break it. */
export const otherRequest = "other request of the rule";

/** Errors outside of any rule, and why a server was not measurable: a run with them must not be reported as passed. */
export function runErrorsOf({ errors, reason, verdict }: Run): { name: string; text: string }[] {
  const unmeasurable =
    verdict === "not measurable" ? [{ name: verdict, text: [reason?.text, reason?.curl].filter(Boolean).join("\n") }] : [];
  return [...unmeasurable, ...errors.map((text) => ({ name: "error", text }))];
}
