// Groups failed rules by their reason. One fault of a server can make many rules fail; reports show one rule of a group in full.

import { isUnknownFailure, type Rule } from "./run.ts";

/** Failed rules with their common reason; `rules[0]` is shown in full. */
export type FailureGroup = { reason: string; rules: [Rule, ...Rule[]] };

/** Smaller groups are shown rule by rule: a reason as general as "expected 200 to be 201" may have two causes. */
const minGroupSize = 3;

/** Rules about the published contract itself. A fault there explains other failures, so it is shown first. */
const contractFamily = "interface/published-contract";

/** Groups the failed rules: those of the published contract first, then by size. */
export function groupsOf(rules: readonly Rule[]): FailureGroup[] {
  const failed = rules.filter(isUnknownFailure);
  const groups = [...Map.groupBy(failed, reasonOf)].flatMap(([reason, some]) =>
    some.length >= minGroupSize ? [groupOf(reason, some)] : some.map((one) => groupOf(reason, [one])),
  );
  const isFirst = ({ rules: some }: FailureGroup): number => (some.some(({ family }) => family === contractFamily) ? 1 : 0);
  return groups.toSorted((a, b) => isFirst(b) - isFirst(a) || b.rules.length - a.rules.length);
}

const groupOf = (reason: string, [example, ...others]: readonly Rule[]): FailureGroup => {
  if (!example) throw new Error(`no rule fails for: ${reason}`);
  return { reason, rules: [example, ...others] };
};

/**
 * Returns a reason that is identical for rules that failed for the same cause: a server error, a deviation of an answer from the
 * contract, or the first line of the message with the last answer's status.
 */
function reasonOf({ failure, family }: Rule): string {
  const exchanges = failure?.exchanges ?? [];
  const crash = exchanges.find(({ status }) => status !== null && status >= 500);
  if (crash) return `${crash.operation} was answered ${crash.status} ${problemCodeOf(crash.body)}`.trim();
  const [line = "", ...more] = (failure?.reason ?? failure?.message ?? "").split("\n");
  if (line.includes(undocumented)) return `${undocumented}: ${[...new Set(more.map(normalizeFault))].sort().join("; ")}`;
  const last = exchanges.at(-1);
  // What was answered to a wrong acceptance, such as the id of what was recorded, says nothing about its cause.
  const [, wanted] = /^(a refusal (?:was expected \(4xx|\(4xx\) was expected).*?), but the answer is /.exec(line) ?? [];
  if (wanted) return `${normalize(wanted)} (${last?.operation ?? family} accepted it)`;
  return `${normalize(line)} (${last ? `${last.operation} → ${last.status ?? "no answer"}` : family})`;
}

const undocumented = "was answered as the contract does not say";

const problemCodeOf = (body: string): string => /"code":\s*"(\w+)"/.exec(body)?.[1] ?? "";

/** Removes the position in a list from a deviation of an answer. */
const normalizeFault = (fault: string): string => normalize(fault.trim()).replaceAll(/\/data(?:\/\d+)?/g, "/data");

/** Replaces what differs between requests: ids, keys, times and long texts. */
const normalize = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "<id>")
    .replaceAll(/conformance:[0-9a-f:]+/g, "<key>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, "<time>")
    .replaceAll(/^seed -?\d+: /g, "")
    .replaceAll(/(["'])(?:(?!\1).){20,}\1/g, "<text>");
