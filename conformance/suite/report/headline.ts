// The headline of every report: what came of the run, how much of it was tried, and why rules failed.

import { count, plural } from "./format.ts";
import { countsOf, cutShort, cutShortText, isUnknownFailure, type Rule, type Run, sum, undocumented } from "./run.ts";

/**
 * `passed`: every required rule was run and none failed. `incomplete`: no rule failed, but a required one was not run, or there was no time
 * for some of its values.
 * Required is every rule of the profile, except those that the depth or `--only` leaves out and those about an optional part that the
 * server does not offer.
 */
export type Outcome = "passed" | "incomplete" | "failed" | "not measurable";

/** How reports colour an outcome: "known" instead of the green of "passed" where the only failures are known ones. */
export type Tone = Outcome | "known";

type Headline = { outcome: Outcome; text: string };

export function outcomeOf({ verdict, rules }: Pick<Run, "verdict" | "rules">): Outcome {
  if (verdict !== "passed") return verdict;
  const isUntried = ({ state, required }: Rule): boolean => state === "not run" && required;
  return rules.some(isUntried) || cutShort(rules).rules.length > 0 ? "incomplete" : "passed";
}

export function toneOf(run: Pick<Run, "verdict" | "rules">): Tone {
  const outcome = outcomeOf(run);
  return outcome === "passed" && countsOf(run.rules).known > 0 ? "known" : outcome;
}

/** What a run leaves out by intent. `filesLeftOut`: how many rule files its depth leaves out. */
type Selection = { only: string | null; changedSince: string | null; shard: unknown; filesLeftOut: number };

/** Whether the run is a part of a whole one, whose outcome says nothing about the other rules. */
export const isPartial = ({ only, changedSince, shard, filesLeftOut }: Selection): boolean =>
  only !== null || changedSince !== null || shard !== null || filesLeftOut > 0;

/** Returns the outcome and a sentence such as "no rule failed; 43 % of the rules were not run, for want of OTHER_API_KEY (12)". */
export function headlineOf(run: Run): Headline {
  const outcome = outcomeOf(run);
  if (outcome === "not measurable") return { outcome, text: run.reason?.text.split("\n")[0] ?? "the server could not be tested" };
  return {
    outcome,
    text: [resultText(run), ...notRunText(run), cutShortText(run.rules), ...selectionText(run)].filter(Boolean).join("; "),
  };
}

function resultText({ rules, errors }: Run): string {
  const { failed, known } = countsOf(rules);
  const outside = errors.length > 0 ? `${plural(errors.length, "error")} outside of the rules` : "";
  const none = known > 0 ? "no new failure" : "no rule failed";
  const unknown = failed > 0 ? `${count(failed)} of ${plural(rules.length, "rule")} failed` : none;
  return [unknown, known > 0 ? plural(known, "known failure") : "", outside].filter(Boolean).join(", ");
}

/** The share of the rules that were not run, of those that say something about the server, and why. */
function notRunText({ rules, depth }: Run): string[] {
  const notRun = rules.filter(({ state }) => state === "not run");
  if (notRun.length === 0) return [rules.length === 1 ? "the one rule was run" : `all ${count(rules.length)} rules were run`];
  const required = notRun.filter((rule) => rule.required);
  const byDepth = notRun.filter((rule) => !rule.required && isLeftOutByDepth(rule)).length;
  const others = notRun.length - required.length - byDepth;
  const clauses = [
    ...requiredClauses(required),
    ...(byDepth > 0 ? [`left out by --depth ${depth} (${count(byDepth)})`] : []),
    ...(others > 0 ? [`not applicable to this server (${count(others)})`] : []),
  ];
  const { notAsked } = countsOf(rules);
  const which = notAsked > 0 ? "the rules that ask the server" : "the rules";
  return [`${share(notRun.length, rules.length - notAsked)} of ${which} were not run, ${clauses.join(", ")}`];
}

function selectionText({ profile, only, changedSince, shard, depth, leftOut }: Run): string[] {
  return [
    ...(profile === "interface"
      ? ["profile interface does not look at what is stored and answered, nor whether a valid code or refresh token is exchanged"]
      : []),
    ...(shard === null ? [] : [`only shard ${shard.index} of ${shard.count}, one part of a run`]),
    ...(only === null ? [] : [`only what --only “${only}” selects`]),
    ...(changedSince === null ? [] : [`only what has changed since ${changedSince}`]),
    ...(leftOut.length > 0 ? [`--depth ${depth} leaves out ${plural(leftOut.length, "rule file")}`] : []),
  ];
}

const maxReasons = 5;

/** How a reason is said in the headline: "for want of OTHER_API_KEY", "left out by --read-only", "because its preparation failed". */
type Reason = { words: "for want of" | "left out" | "because"; text: string };

/** Why required rules were not run: one clause for the reasons that begin with the same words, the most frequent reasons first. */
function requiredClauses(rules: readonly Rule[]): string[] {
  const byWords = Map.groupBy(rules.map(reasonOf), ({ words }) => words);
  const sorted = [...byWords].toSorted(([, a], [, b]) => b.length - a.length);
  return sorted.map(([words, reasons]) => `${words} ${countedText(reasons)}`);
}

function countedText(reasons: readonly Reason[]): string {
  const byText = [...Map.groupBy(reasons, ({ text }) => text)].map(([text, some]) => ({ text, some: some.length }));
  const counted = byText.toSorted((a, b) => b.some - a.some);
  const more = sum(counted.slice(maxReasons).map(({ some }) => some));
  const named = counted.slice(0, maxReasons).map(({ text, some }) => `${text} (${count(some)})`);
  return [...named, ...(more > 0 ? [`others (${count(more)})`] : [])].join(", ");
}

function reasonOf({ why }: Pick<Rule, "why">): Reason {
  const reason = why ?? "";
  const [pattern, want = ""] = wants.find(([one]) => one.test(reason)) ?? [];
  if (pattern) return { words: "for want of", text: reason.replace(pattern, want) };
  const [, choice] = /^left out ([^:]+)/.exec(reason) ?? [];
  return choice === undefined ? { words: "because", text: reason } : { words: "left out", text: choice };
}

/** Reasons why a required rule was not run because something was missing, and what would have to be there, in few words. */
const wants: [RegExp, string][] = [
  [/^([A-Z_]+(?: and [A-Z_]+)*) (?:is|are) not set$/, "$1"],
  [/^([A-Z_]+) is good no longer$/, "a fresh $1"],
  [/^API_KEY is no API key$/, "an API key in API_KEY"],
  [/^(?:this run has )?no (credential|key) (for|with) (.*)$/, "a $1 $2 $3"],
  [/^there is no ([\w-]+).*$/, "$1"],
  [/^(--oauth-[a-z-]+) .*$/, "$1"],
  [/^starts server processes of its own.*$/, "a server of the suite's own"],
  [/^reads the suite's own files.*$/, "the suite's own files"],
  [/^needs the operator's CLI.*$/, "the operator's CLI"],
  [/^needs a receiver.*$/, "a receiver (--receiver-url)"],
  [/^the server's rate limit refused.*$/, "time within the server's rate limit"],
  [/^the server was busy.*$/, "a server that is not busy"],
  [/^left out, because the server limits the rate.*$/, "time within the server's rate limit"],
];

const isLeftOutByDepth = ({ why }: Pick<Rule, "why">): boolean => why?.startsWith("only with --depth ") ?? false;

/** A share in whole per cent, but never 0 % of something nor 100 % of less than all. */
export function share(part: number, whole: number): string {
  const percent = Math.round((100 * part) / whole);
  if (part > 0 && percent === 0) return "less than 1 %";
  return percent === 100 && part < whole ? "more than 99 %" : `${percent} %`;
}

// Groups failed rules by their reason. One fault of a server can make many rules fail; reports show one rule of a group in full.

/** Failed rules with their common reason; `rules[0]` is shown in full. */
export type FailureGroup = { reason: string; rules: [Rule, ...Rule[]] };

/** Smaller groups are shown rule by rule: a reason as general as "expected 200 to be 201" may have two causes. */
const minGroupSize = 3;

/** Rules about the published contract itself. A fault there explains other failures, so it is shown first. */
const contractFamily = "interface/published-contract";

/** Groups the failed rules: those of the published contract first, then by size. */
export function groupsOf(rules: readonly Rule[]): FailureGroup[] {
  const failed = rules.filter(isUnknownFailure);
  const groups = [...Map.groupBy(failed, causeOf)].flatMap(([reason, some]) =>
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
function causeOf({ failure, family }: Rule): string {
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
