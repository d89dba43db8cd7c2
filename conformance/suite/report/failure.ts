// A failed rule, as plain text for formats that have one field for it, and as a part of report.html: with the line of spec/ that it comes from
// and the commands that repeat it.

import locations from "../../../generated/locations.json" with { type: "json" };
import { shellWord } from "../client/launches.ts";
import { operationAt, operations } from "../contract/contract.ts";
import { hasSources } from "../contract/sources.ts";
import { count, type Markup, markup, plural, raw, when } from "./format.ts";
import type { Rule, Run } from "./run.ts";

/** The first line of the reason. */
export const firstLine = ({ failure }: Rule): string => (failure?.reason ?? failure?.message ?? "").split("\n")[0] ?? "";

/** The first line of the reason. Where it cuts off both sides, the first line in which they differ follows. */
export function summaryOf(rule: Rule): string {
  const [line, comparison] = [firstLine(rule), rule.failure?.comparison];
  if (!comparison || !line.includes("…")) return line;
  const difference = diffOf(comparison.expected, comparison.actual).find(({ same }) => !same);
  return difference ? `${line}: expected ${shortened(difference.expected)}, actual ${shortened(difference.actual)}` : line;
}

const maxShown = 120;

/** Null: this side has no such line. */
function shortened(line: string | null): string {
  const text = line?.trim().replace(/,$/, "") ?? "nothing";
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

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

// A failed rule in report.html: the smallest value, both sides of the assertion, requests with answers, commands to repeat it.

type Failure = NonNullable<Rule["failure"]>;
type Exchange = Failure["exchanges"][number];

export function failureOf(rule: Rule, run: Run): Markup {
  const { failure } = rule;
  if (!failure) return markup``;
  const { others, exchanges, reason, message } = failure;
  const start = startOf(rule, run);
  return markup`<article class="failure${rule.known ? " known" : ""}" id="${anchor(rule)}">
<p class="family">${rule.family} · ${locationText(rule)}</p>
<h3>${titleMarkup(rule.title)}</h3>
${when(rule.known, markup`<p class="known">${knownText(rule) ?? ""}</p>`)}
${smallestValue(failure)}
<pre class="reason">${reason ?? message}</pre>
${sides(failure)}
${when(others.length > 0, markup`<details><summary>${plural(others.length, "other value")}</summary><pre>${others.join("\n")}</pre></details>`)}
${exchanges.map((exchange) => exchangeOf(exchange, start))}
<div class="replay"><span>replay</span>${code(replayOf(rule, run))}</div>
</article>`;
}

/** Where the contract says what the rule tries. */
function locationText(rule: Rule): string {
  const { file, line } = locationOf(rule);
  return `${file}:${line}`;
}

function smallestValue({ value, shrinks, count: counted }: Failure): Markup {
  const found = [
    shrinks > 0 ? `the smallest value found, after ${plural(shrinks, "step")}` : "",
    counted ? `${count(counted.failed)} of ${plural(counted.of, "value")} fail` : "",
  ].filter(Boolean);
  return when(
    value !== null,
    markup`<div class="value"><span>value</span><code>${value ?? ""}</code><small>${found.join(", ")}</small></div>`,
  );
}

/** Expected and actual, side by side on a wide screen; lines that differ are marked. Without an assertion: reason and decisive answer. */
function sides({ comparison, exchanges, reason, message }: Failure): Markup {
  const answer = exchanges.find(({ decisive }) => decisive);
  if (!comparison && !answer) return markup``;
  const actual = answer ? [answer.status ?? "no answer", answer.body].join(" ") : "";
  const rows = comparison ? diffOf(comparison.expected, comparison.actual) : [{ expected: reason ?? message, actual, same: false }];
  const lines = (side: "expected" | "actual"): Markup[] =>
    rows.map((row) => {
      const text = row[side];
      if (text === null) return markup`<span class="gap"> </span>`;
      return row.same ? markup`<span>${text || " "}</span>` : markup`<span class="differs">${text || " "}</span>`;
    });
  return markup`<div class="sides">
<div role="group" aria-label="expected"><h4>expected</h4><pre>${lines("expected")}</pre></div>
<div role="group" aria-label="actual" class="actual"><h4>actual</h4><pre>${lines("actual")}</pre></div>
</div>`;
}

/** The decisive request is open; `start` starts the server that it was sent to. */
function exchangeOf({ curl, status, headers, body, decisive }: Exchange, start: string | null): Markup {
  const text = [...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n");
  const label = decisive ? "the request that broke the rule" : `${otherRequest}: its answer is not at fault`;
  return markup`<details class="exchange" ${decisive ? raw("open") : ""}><summary><b class="status${decisive ? " wrong" : ""}">${
    status ?? "no answer"
  }</b> ${label}</summary>
${code(curl)}${when(decisive && start, markup`<p class="hint">${startHint}</p>${code(start ?? "")}`)}<pre class="answer" tabindex="0">${text}</pre></details>`;
}

/** A line of code with a button that copies it. */
export const code = (line: string): Markup =>
  markup`<div class="code"><button type="button" class="copy">copy</button><pre>${line}</pre></div>`;

/** Sets the paragraph that the title cites apart from the rest. */
export function titleMarkup(title: string): Markup {
  const [, words = title, paragraph] = /^(.*?)\s*\((interface [^)]*|RFC [^)]*)\)(?=[^)]*$)/.exec(title) ?? [];
  const rest = paragraph ? title.slice(title.indexOf(`(${paragraph})`) + paragraph.length + 2) : "";
  return markup`${words}${rest}${when(paragraph, markup` <em>${paragraph ?? ""}</em>`)}`;
}

export const anchor = ({ family, title }: Rule): string =>
  `rule-${encodeURIComponent(`${family}-${title}`.toWellFormed()).replace(/%/g, "_")}`;

// Compares two texts line by line, to show them side by side. Pure.

/** A row of the comparison; null: this side has no such line. */
type DiffRow = { expected: string | null; actual: string | null; same: boolean };

const maxLines = 300;

/** Returns the lines of both texts, equal lines beside each other (longest common subsequence). Beyond 300 lines the rest is left out. */
export function diffOf(expectedText: string, actualText: string): DiffRow[] {
  const [expected, actual] = [linesOf(expectedText), linesOf(actualText)];
  const lengths = commonLengths(expected, actual);
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  let pending: [string[], string[]] = [[], []];
  const flush = (): void => {
    const [left, right] = pending;
    for (let at = 0; at < Math.max(left.length, right.length); at += 1)
      rows.push({ expected: left[at] ?? null, actual: right[at] ?? null, same: false });
    pending = [[], []];
  };
  while (i < expected.length || j < actual.length) {
    const [left, right] = [expected[i], actual[j]];
    if (left !== undefined && left === right) {
      flush();
      rows.push({ expected: left, actual: left, same: true });
      i += 1;
      j += 1;
    } else if (right === undefined || (left !== undefined && lengthAt(lengths, i + 1, j) >= lengthAt(lengths, i, j + 1))) {
      pending[0].push(left as string);
      i += 1;
    } else {
      pending[1].push(right);
      j += 1;
    }
  }
  flush();
  return rows;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.length > maxLines ? [...lines.slice(0, maxLines), `… (${lines.length} lines)`] : lines;
}

/** Length of the longest common subsequence of the rest of both lists from each pair of positions. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (lengths[i] as number[])[j] =
        a[i] === b[j] ? lengthAt(lengths, i + 1, j + 1) + 1 : Math.max(lengthAt(lengths, i + 1, j), lengthAt(lengths, i, j + 1));
  return lengths;
}

const lengthAt = (lengths: readonly number[][], i: number, j: number): number => lengths[i]?.[j] ?? 0;

// The line of spec/ that a rule comes from. generated/locations.json has the lines of operations and their members.

type Location = { file: string; line: number };

const table: Record<string, { at: string; members: Record<string, string> }> = locations;

/** The operation of rules that name none, by their folder. That of webhooks says how deliveries to a receiver are signed. */
const defaults: Record<string, string> = { interface: "createDonation", receiver: "createWebhook" };

/** Rules that belong to no operation are about the service as a whole. */
const serviceAt: Location = { file: "spec/main.tsp", line: 1 };

/** Returns where spec/ states what the rule checks: the member that it is about, or else its operation, or else the service. */
export function locationOf(rule: Rule): Location {
  const operation = operationOf(rule);
  const { at, members = {} } = table[operation ?? ""] ?? {};
  const member = memberNames(rule).find((name) => name in members);
  const found = (member ? members[member] : undefined) ?? at;
  return found ? parse(found) : serviceAt;
}

/** The operation that the title, the name of the rule file or the decisive request names. */
function operationOf({ family, title, failure }: Rule): string | undefined {
  const [, titled = ""] = /^(\w+): /.exec(title) ?? [];
  const named = camelCase(family.split("/").at(-1) ?? "");
  const request = failure?.exchanges.find(({ decisive }) => decisive);
  const [method = "", path = ""] = request?.operation.split(" ") ?? [];
  const requested = operations.find((one) => one.method === method && one.path === path)?.id ?? operationAt(method, path)?.id;
  return [titled, named, requested, defaults[family.split("/")[0] ?? ""]].find((id) => id && id in table);
}

/** Members that the rule may be about, the likeliest first. */
function memberNames({ family, tried, failure }: Rule): string[] {
  const fields = Object.keys(tried).filter(Boolean);
  const names = [failure?.value?.split(" ")[0] ?? "", ...(fields.length === 1 ? fields : []), family.split("/").at(-1) ?? ""];
  return names.map((name) => camelCase(name.replace(/^\//, "").split("/")[0] ?? ""));
}

const camelCase = (name: string): string => name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function parse(at: string): Location {
  const [file = "", line = "1"] = at.split(":");
  return { file, line: Number(line) };
}

// The commands that run a failed rule again.

type ReplayedRun = Pick<Run, "seed" | "profile" | "depth" | "lengthUnit" | "server" | "mutant" | "options">;

/** Profile of a run that tests a receiver of webhooks instead of a server. */
export const receiverProfile = "receiver";

/** Returns the command that runs a failed rule again with the same values; for a mutant, the command that runs the mutant again. */
export function replayOf(rule: Rule, run: ReplayedRun): string {
  const { seed, profile, depth, lengthUnit, server, mutant, options: given } = run;
  if (profile === receiverProfile)
    return `${hasSources ? "npm run conformance --" : "npx namjai-conformance"} receiver ${shellWord(server.url)} --only ${shellWord(rule.title)}`;
  if (mutant !== null) return `make mutants MUTANTS=${shellWord(mutant)} SEED=${seed}`;
  const options = [
    ...option("url", server.ours ? "" : server.url),
    ...option("profile", profile === "contract" ? "" : profile),
    ...option("length-unit", profile === "contract" || lengthUnit === "all" ? "" : lengthUnit),
    ...option("depth", depth === "full" ? "" : depth),
    ...given,
    ...option("seed", rule.failure?.seed ?? String(seed)),
    ...option("only", rule.title),
  ];
  if (!hasSources)
    return `npx namjai-conformance ${options.map(([name, word]) => `--${name}${word === null ? "" : ` ${word}`}`).join(" ")}`;
  return `make conformance ${options.map(([name, word]) => `${name.toUpperCase().replaceAll("-", "_")}=${word ?? 1}`).join(" ")}`;
}

const option = (name: string, value: string): Run["options"] => (value === "" ? [] : [[name, shellWord(value)]]);

/** Returns the command that starts a server for the failed rule's request, with the key that the request needs; null: it runs elsewhere. */
export const startOf = ({ failure }: Rule, { mutant }: Pick<Run, "mutant">): string | null =>
  mutant === null ? (failure?.start ?? null) : null;

/** What stands beside the command of `startOf`. */
export const startHint = "start the server first; it prints a key: export API_KEY=…";
