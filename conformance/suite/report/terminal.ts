// What the terminal shows while a run goes on and at its end.

import type { WriteStream } from "node:tty";
import { otherRequest, replayOf, startHint, startOf } from "./failure.ts";
import { count, plural } from "./format.ts";
import { type FailureGroup, groupsOf, headlineOf, type Tone, toneOf } from "./headline.ts";
import type { Listener } from "./reporter.ts";
import {
  type Cell,
  type Counts,
  countsOf,
  cutShort,
  cutShortText,
  digestOfFailure,
  digestsOf,
  edgesOf,
  families,
  isUnknownFailure,
  matrixOf,
  nameOf,
  type Rule,
  type Run,
  reasonsOf,
} from "./run.ts";

const colourCodes = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 } as const;
type Colour = keyof typeof colourCodes;
type Paint = (colour: Colour, text: string) => string;

const painter =
  (colours: boolean): Paint =>
  (colour, text) =>
    colours ? `\x1b[${colourCodes[colour]}m${text}\x1b[0m` : text;

export const paintFor = ({ isTTY }: { isTTY?: boolean }): Paint => painter(Boolean(isTTY) && !process.env.NO_COLOR);

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** Prints a line for each finished rule file; on a terminal also a last line with the files that are running. */
export function progress(out: Pick<WriteStream, "write" | "isTTY" | "columns">): Omit<Listener, "collected" | "note"> {
  const paint = paintFor(out);
  const running = new Map<string, { of: number; rules: Rule[] }>();
  const rewriteLine = (text: string): void => {
    if (out.isTTY) out.write(`\r\x1b[2K${[...text].slice(0, (out.columns || 80) - 1).join("")}`);
  };
  return {
    familyStarts: (family, of) => {
      running.set(family, { of, rules: [] });
      if (of > 0) rewriteLine(`  … ${family}`);
    },
    rule: (rule) => {
      running.get(rule.family)?.rules.push(rule);
      rewriteLine(`  … ${[...running].map(([family, { of, rules }]) => `${family} ${rules.length}/${of}`).join("  ")}`);
    },
    familyEnds: (family, milliseconds) => {
      rewriteLine("");
      const { rules } = running.get(family) ?? { rules: [] };
      running.delete(family);
      if (rules.length > 0) out.write(`${familyLine(family, countsOf(rules), milliseconds, paint)}\n`);
    },
    error: (message) => {
      rewriteLine("");
      out.write(`${paint("red", `  ✗ ${message}`)}\n`);
    },
  };
}

function familyLine(family: string, { rules, failed, known, notRun, tried }: Counts, milliseconds: number, paint: Paint): string {
  const fine = known > 0 ? paint("yellow", "!") : paint("green", "✓");
  const mark = failed > 0 ? paint("red", "✗") : notRun === rules ? paint("grey", "–") : fine;
  const words = [
    `${count(rules).padStart(5)} ${rules === 1 ? "rule " : "rules"}`,
    `${count(tried).padStart(7)} tried`,
    seconds(milliseconds).padStart(7),
  ];
  const rest = [
    ...(failed > 0 ? [paint("red", `${failed} failed`)] : []),
    ...(known > 0 ? [paint("yellow", `${known} known`)] : []),
    ...(notRun > 0 ? [paint("grey", `${notRun} not run`)] : []),
  ];
  return `  ${mark} ${family.padEnd(34)}${[...words, ...rest].join("  ")}`;
}

/** Returns the summary that is printed at the end of a run. */
export function summary(run: Run, out: { isTTY?: boolean; columns?: number }): string {
  const paint = paintFor(out);
  const { rules } = run;
  const parts = [
    failuresText(run, paint),
    knownText(run.rules, paint),
    run.errors.map((error) => paint("red", `ERROR  ${error}`)).join("\n"),
    matrixText(rules, out.isTTY ? (out.columns ?? 100) : 160, paint),
    notRunText(run, paint),
    edgesText(rules, paint),
    verdictText(run, paint),
  ];
  return `\n${parts.filter(Boolean).join("\n\n")}\n`;
}

const indented = (text: string, by: string): string => text.trim().replaceAll("\n", `\n${by}`);

function failuresText(run: Run, paint: Paint): string {
  return groupsOf(run.rules)
    .map((group) => groupText(group, run, paint))
    .join("\n\n");
}

/** Failures that the baseline names, a line each. */
const knownText = (rules: readonly Rule[], paint: Paint): string =>
  rules
    .flatMap((rule) =>
      rule.known
        ? [paint("yellow", `KNOWN   ${nameOf(rule)}  (${rule.known.reason}; until ${rule.known.expires}, ${digestOfFailure(rule)})`)]
        : [],
    )
    .join("\n");

/** One rule of the group in full, and the shortened titles of the others. */
function groupText({ reason, rules: [example, ...others] }: FailureGroup, run: Run, paint: Paint): string {
  const text = failureText(example, run, paint);
  if (others.length === 0) return text;
  const heading = paint("red", paint("bold", `${count(others.length + 1)} RULES FAILED FOR THE SAME REASON  ${reason}`));
  const names = [...families(others)].map(([family, some]) => otherRulesLine(family, some, paint));
  return [heading, text, ...names].join("\n");
}

const maxTitles = 3;

function otherRulesLine(family: string, rules: readonly Rule[], paint: Paint): string {
  const short = (title: string): string => ([...title].length > 60 ? `${[...title].slice(0, 59).join("")}…` : title);
  const more = rules.length > maxTitles ? [`${count(rules.length - maxTitles)} more`] : [];
  const titles = [...rules.slice(0, maxTitles).map(({ title }) => short(title)), ...more];
  return detail("others", `${family} (${count(rules.length)}): ${titles.join("; ")}`, paint);
}

const detail = (name: string, text: string, paint: Paint): string => command(name, shortened(text), paint);

/** A line to be copied, which is never shortened. */
const command = (name: string, text: string, paint: Paint): string => `  ${paint("grey", name.padEnd(9))}${indented(text, " ".repeat(11))}`;

const longest = 2000;
const shownEnd = 200;

/** A text of which a terminal shows the beginning and the end: of a request, these are its headers and its address. */
function shortened(text: string): string {
  const characters = [...text];
  const leftOut = characters.length - longest;
  if (leftOut <= 0) return text;
  const note = `… (${plural(leftOut, "character")} left out; the whole text is in report.html and events.ndjson) …`;
  return [characters.slice(0, longest - shownEnd), characters.slice(-shownEnd)].map((part) => part.join("")).join(` ${note} `);
}

function failureText(rule: Rule, run: Run, paint: Paint): string {
  const { failure } = rule;
  const line = (name: string, text: string): string => detail(name, text, paint);
  const shrunk = failure?.shrinks ? `  (shrunk ${failure.shrinks} times)` : "";
  const counted = failure?.count ? `  (${count(failure.count.failed)} of ${count(failure.count.of)} values fail)` : "";
  const { exchanges = [], comparison } = failure ?? {};
  const start = startOf(rule, run);
  return [
    paint("red", paint("bold", `FAILED  ${rule.family} > ${rule.title}`)),
    ...(failure?.value ? [line("value", `${failure.value}${shrunk}${counted}`)] : []),
    line("reason", failure?.reason ?? failure?.message ?? ""),
    ...(failure?.others ?? []).map((other) => line("also", other)),
    ...(comparison ? [line("expected", comparison.expected), line("actual", comparison.actual)] : []),
    ...exchanges.flatMap(({ curl, status, body, decisive }) => [
      line(decisive ? "request" : "other", decisive ? curl : `${curl}  (${otherRequest})`),
      line("answer", status === null ? "none" : `${status} ${body.slice(0, 500)}`),
    ]),
    line("digest", digestOfFailure(rule)),
    ...(start ? [command("start", `${start}  # ${startHint}`, paint)] : []),
    command("replay", replayOf(rule, run), paint),
  ].join("\n");
}

const familyWidth = 34;

function matrixText(rules: readonly Rule[], width: number, paint: Paint): string {
  const { fields, rows, others } = matrixOf(rules, Math.min(10, Math.max(2, Math.floor((width - familyWidth - 7) / 11))));
  if (rows.length + others.length === 0) return "";
  const heads = fields.map((field) => field || "others");
  const texts = rows.map(({ cells }) => fields.map((field) => cellText(cells.get(field))));
  const widths = heads.map((head, column) => Math.max(head.length, ...texts.map((row) => (row[column] ?? "").length)));
  const aligned = (row: string[]): string => row.map((text, column) => text.padStart(widths[column] ?? 0)).join("  ");
  const title = `values tried by rule file and field, ✗ rules failed${rules.some(({ known }) => known) ? ", ! known failures" : ""}`.padEnd(
    familyWidth,
  );
  const lines = rows.map(({ family }, at) => {
    const row = `${family.slice(0, familyWidth - 1).padEnd(familyWidth)}${aligned(texts[at] ?? [])}`;
    return rules.some((rule) => rule.family === family && isUnknownFailure(rule)) ? paint("red", row) : row;
  });
  const rest = others.map(({ family, cells }) => `${family} ${cellText(cells.get(""))}`);
  return [
    ...(rows.length > 0 ? [paint("bold", title), paint("grey", `${" ".repeat(familyWidth)}${aligned(heads)}`), ...lines] : []),
    ...(rest.length > 0 ? [`no single field: ${rest.join(", ")}`] : []),
  ].join("\n");
}

function cellText(cell: Cell | undefined): string {
  if (!cell) return "·";
  const { tried, failed, known } = cell;
  return [count(tried), failed > 0 ? `✗${failed}` : "", known > 0 ? `!${known}` : ""].filter(Boolean).join(" ");
}

function notRunText({ rules, leftOut }: Run, paint: Paint): string {
  const lines = [
    ...[...reasonsOf(rules)].map(
      ([reason, some]) =>
        `  ${count(some.length).padStart(5)} ${some.length === 1 ? "rule " : "rules"}  ${reason} (${[...families(some).keys()].join(", ")})`,
    ),
    ...leftOut.map(({ family, reason }) => `  rule file ${family}: ${reason}`),
    ...[cutShortText(rules)].flatMap((text) =>
      text === null ? [] : [`  ${text} (${[...families(cutShort(rules).rules).keys()].join(", ")})`],
    ),
  ];
  return lines.length > 0 ? [paint("bold", "not run"), ...lines.map((line) => paint("grey", line))].join("\n") : "";
}

function edgesText(rules: readonly Rule[], paint: Paint): string {
  const edges = edgesOf(rules);
  if (edges.length === 0) return "";
  const missed = edges.filter(({ hits }) => hits === 0);
  const line = `edge cases: ${count(edges.length - missed.length)} of ${count(edges.length)} tried`;
  return [line, ...missed.map(({ family, edge }) => paint("red", `  never tried: ${edge} (${family})`))].join("\n");
}

const toneColours: Record<Tone, Colour> = {
  passed: "green",
  known: "yellow",
  incomplete: "yellow",
  failed: "red",
  "not measurable": "red",
};

function verdictText(run: Run, paint: Paint): string {
  const { rules, passed, notAsked, failed, known, notRun, tried, leftOut, requests } = countsOf(run.rules);
  const knownWords = known > 0 ? `${plural(known, "known failure")}, ` : "";
  const unasked = notAsked > 0 ? `, ${count(notAsked)} not asked of the server` : "";
  const words = `${plural(rules, "rule")}: ${count(passed)} passed, ${count(failed)} failed, ${knownWords}${count(notRun)} not run${unasked}`;
  const { outcome, text } = headlineOf(run);
  const values = leftOut > 0 ? `${count(tried)} of ${plural(tried + leftOut, "value")}` : plural(tried, "value");
  const digests = digestsOf(run.rules).map(({ folder, digest, requests: sent }) => `${folder}/ ${digest} (${plural(sent, "request")})`);
  return [
    ...(digests.length > 0 ? [`digest  ${digests.join("  ")}`] : []),
    `seed    ${run.seed}`,
    `${words}; ${values} tried, ${plural(requests, "request")}, ${seconds(run.milliseconds)}`,
    paint(toneColours[toneOf(run)], paint("bold", `${outcome}: ${run.reason ? run.reason.text : text}`)),
    ...(run.reason?.curl ? [`  ${run.reason.curl}`] : []),
  ].join("\n");
}

// The terminal, for everything that the command prints.

/** Prints a line of the report on the terminal. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);
