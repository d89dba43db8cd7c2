// What the command prints about a receiver.

import { plural } from "../suite/report/format.ts";
import { headlineOf, toneOf } from "../suite/report/headline.ts";
import { replayOf } from "../suite/report/replay.ts";
import type { Run } from "../suite/report/run.ts";
import type { paintFor } from "../suite/report/terminal.ts";
import type { Result } from "./run-case.ts";

type Paint = ReturnType<typeof paintFor>;

export type Shown = Readonly<{ run: Run; showRequests: boolean; paint: Paint }>;

/** A line that says what came; where it is not what the title says, also what was expected, the requests and how to send them anew. */
export function caseText({ rule, came, advice, curls }: Result, { run, showRequests, paint }: Shown): string {
  const { state, title, failure } = rule;
  const lines = [
    ...(advice === null ? [] : [line("note", advice, paint)]),
    ...(failure || showRequests ? curls.map((curl) => line("request", curl, paint)) : []),
    ...(failure ? [line("answer", answerOf(rule), paint), line("replay", replayOf(rule, run), paint)] : []),
  ];
  const head = {
    passed: `  ${paint("green", "✓")} ${title}: came ${came}`,
    failed: paint("red", `  ✗ ${title}: ${failure?.reason}`),
    "not run": paint("grey", `  – ${title}: not run, ${rule.why}`),
  }[state];
  return `${[head, ...lines].join("\n")}\n`;
}

/** How many failed and in which way, and the verdict. */
export function summaryText(run: Run, results: readonly Result[], paint: Paint): string {
  const failed = results.filter(({ rule }) => rule.state === "failed");
  const [accepted, refused] = (["refused", "accepted"] as const).map((one) => failed.filter(({ expected }) => expected === one).length);
  const counts = `${plural(results.length, "case")}: ${accepted} wrongly accepted, ${refused} wrongly refused`;
  const { outcome, text } = headlineOf(run);
  const colour = toneOf(run) === "passed" ? "green" : outcome === "incomplete" ? "yellow" : "red";
  const reason = run.reason?.curl ? [line("request", run.reason.curl, paint)] : [];
  return `\n${[counts, paint(colour, paint("bold", `${outcome}: ${run.reason?.text ?? text}`)), ...reason].join("\n")}\n`;
}

/** The answer that was wrong. */
function answerOf({ failure }: Result["rule"]): string {
  const wrong = failure?.exchanges.find(({ decisive }) => decisive);
  return wrong ? `${wrong.status ?? "none"} ${wrong.body.slice(0, 500)}` : "";
}

const line = (name: string, text: string, paint: Paint): string => `      ${paint("grey", name.padEnd(9))}${text}`;
