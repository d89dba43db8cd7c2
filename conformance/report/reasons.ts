import type { Rule } from "./run.ts";

// One cause makes many rules fail: those that fail for the same reason are one group, of which the report shows one in full.

/** Failed rules with the reason that they share; `rules[0]` is the example. */
export type Group = { reason: string; rules: [Rule, ...Rule[]] };

/** Fewer than these are shown one by one: a reason as general as "expected 200 to be 201" may have two causes. */
const alike = 3;

/** Rules that judge the published contract itself: a fault there explains what follows. */
const first = "interface/published-contract";

/** The failed rules by their reasons: the published contract first, then the largest group. */
export function groupsOf(rules: readonly Rule[]): Group[] {
  const failed = rules.filter(({ state }) => state === "failed");
  const groups = [...Map.groupBy(failed, reasonOf)].flatMap(([reason, some]) =>
    some.length >= alike ? [groupOf(reason, some)] : some.map((one) => groupOf(reason, [one])),
  );
  const isFirst = ({ rules: some }: Group): number => (some.some(({ family }) => family === first) ? 1 : 0);
  return groups.toSorted((a, b) => isFirst(b) - isFirst(a) || b.rules.length - a.rules.length);
}

const groupOf = (reason: string, [example, ...others]: readonly Rule[]): Group => {
  if (!example) throw new Error(`no rule fails for: ${reason}`);
  return { reason, rules: [example, ...others] };
};

/** Why the rule failed, in words that are the same for every rule that failed for it: a server error, a fault of an answer, a first message. */
function reasonOf({ failure, family }: Rule): string {
  const exchanges = failure?.exchanges ?? [];
  const crash = exchanges.find(({ status }) => status !== null && status >= 500);
  if (crash) return `${crash.asked} was answered ${crash.status} ${codeOf(crash.body)}`.trim();
  const [line = "", ...more] = (failure?.reason ?? failure?.message ?? "").split("\n");
  if (line.includes(undocumented)) return `${undocumented}: ${[...new Set(more.map(anywhere))].sort().join("; ")}`;
  const last = exchanges.at(-1);
  return `${anything(line)} (${last ? `${last.asked} → ${last.status ?? "no answer"}` : family})`;
}

const undocumented = "was answered as the contract does not say";

const codeOf = (body: string): string => /"code":\s*"(\w+)"/.exec(body)?.[1] ?? "";

/** A fault of an answer, wherever in a list it stands. */
const anywhere = (fault: string): string => anything(fault.trim()).replaceAll(/\/data(?:\/\d+)?/g, "/data");

/** Without what differs from request to request: ids, keys, times and long texts. */
const anything = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "<id>")
    .replaceAll(/conformance:[0-9a-f:]+/g, "<key>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, "<time>")
    .replaceAll(/^seed -?\d+: /g, "")
    .replaceAll(/(["'])(?:(?!\1).){20,}\1/g, "<text>");
