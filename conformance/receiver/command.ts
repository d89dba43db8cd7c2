// Tests a receiver of webhooks: `receiver URL --secret whsec_… [options]`.

import { type Command, InvalidArgumentError, Option } from "commander";
import { exitCodes } from "../suite/command/run.ts";
import { UsageError } from "../suite/command/usage-error.ts";
import { receiverProfile, replayOf } from "../suite/report/failure.ts";
import { plural, versions } from "../suite/report/format.ts";
import { headlineOf, outcomeOf, toneOf } from "../suite/report/headline.ts";
import type { Run } from "../suite/report/run.ts";
import { paintFor } from "../suite/report/terminal.ts";
import { formats } from "../suite/report/write.ts";
import { acceptedCases, type Case, lastCase, refusedCases, soundCases } from "./cases.ts";
import type { Secrets } from "./deliveries.ts";
import { type Result, runCase } from "./run-case.ts";

const receiverFormats = ["text", "junit", "html"] as const;

type ReceiverFormat = (typeof receiverFormats)[number];

type ReceiverSettings = Readonly<{
  /** Where deliveries are sent. */
  url: string;
  secrets: Secrets;
  /** What is written to standard output. */
  format: ReceiverFormat;
  /** Part of the titles of the cases to run; null: all. */
  only: string | null;
  /** Prints the requests of cases that passed as well. */
  showRequests: boolean;
}>;

const description = `Tests whether a receiver of webhooks accepts what it must and refuses what it must, by Standard Webhooks.

It sends sound, repeated, reordered, stale, changed, wrongly signed and rotated deliveries, events of every type and unusual bodies, and
says which were wrongly accepted (a status from 200 to 299) or wrongly refused (any other). The receiver takes the sound ones for real:
use one for tests. Their events have "isTest": true, except those of goals and the timer.`;

const exitCodesHelp = `
Exit codes: 0 passed
            1 failed
            2 not measurable: the receiver cannot be reached, it refuses every sound delivery, a rate limit refused a case
            64 wrong usage`;

type Options = Readonly<{ secret?: string; previousSecret?: string; only?: string; format: ReceiverFormat; curl?: boolean }>;

/** Adds arguments and options of `receiver` to a command. */
export const withReceiverOptions = (command: Command): Command =>
  command
    .summary("tests a receiver of webhooks")
    .description(description)
    .argument("<url>", "where the receiver takes deliveries", readAddress)
    .addOption(new Option("--secret <secret>", "the endpoint's secret: whsec_ and base64").env("WEBHOOK_SECRET"))
    .addOption(
      new Option("--previous-secret <secret>", "another secret that the receiver accepts, as after a rotation").env(
        "WEBHOOK_PREVIOUS_SECRET",
      ),
    )
    .option("--only <text>", "runs the cases whose title contains the text, after the sound ones")
    .addOption(
      new Option("--format <format>", "what is written to standard output; except with text, the text is written to standard error")
        .choices(receiverFormats)
        .default("text"),
    )
    .option("--curl", curl)
    .addHelpText("after", exitCodesHelp);

const curl =
  "prints the requests of all cases as curl lines, not only of those that failed. A curl line is good for about five minutes, because its signature covers the time; --only sends the case anew";

/** Reads the settings of a command that has been parsed. Throws UsageError; its messages contain no secret. */
export function receiverSettingsOf(command: Command): ReceiverSettings {
  const options = command.opts<Options>();
  const current = readSecret("--secret", options.secret);
  if (!current) throw new UsageError("receiver needs --secret whsec_…, or WEBHOOK_SECRET in the environment");
  return {
    url: command.processedArgs[0],
    secrets: { current, previous: readSecret("--previous-secret", options.previousSecret) },
    format: options.format,
    only: options.only || null,
    showRequests: options.curl ?? false,
  };
}

/** Standard Webhooks asks for 24 to 64 bytes. */
function readSecret(option: string, text: string | undefined): Buffer | null {
  if (!text) return null;
  const [, base64 = ""] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text) ?? [];
  const secret = Buffer.from(base64, "base64");
  if (secret.length < 24 || secret.length > 64) throw new UsageError(`${option} must be whsec_ and 24 to 64 bytes in base64`);
  return secret;
}

function readAddress(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new InvalidArgumentError("It is not an http or https address.");
  const { hash, username, password } = new URL(url);
  if (hash || username || password)
    throw new InvalidArgumentError("The receiver's address must have no user and no fragment, as that of an endpoint.");
  return url;
}

// Tests a receiver of webhooks: `receiver URL --secret whsec_… [options]`.

const reports: Record<Exclude<ReceiverFormat, "text">, string> = {
  junit: "junit.xml",
  html: "report.html",
};

/** Prints what came of it and returns the exit code. Throws UsageError before anything is sent. */
export async function testReceiver(settings: ReceiverSettings): Promise<number> {
  const { url, format } = settings;
  const cases = selectedCases(settings);
  const out = format === "text" ? process.stdout : process.stderr;
  const write = writerTo(out);
  const paint = paintFor(out);
  const run = newRun(settings);
  await write(`receiver  ${url}\n`);
  const results = await resultsOf(settings, cases, {
    ended: (result) => write(caseText(result, { run, showRequests: settings.showRequests, paint })),
  });
  run.reason = reasonOf(results);
  finish(run, results);
  await write(summaryText(run, results, paint));
  if (format !== "text") await writerTo(process.stdout)(formats[reports[format]]?.(run) ?? "");
  const exitCode = exitCodes[outcomeOf(run) === "incomplete" ? "not measurable" : run.verdict];
  if (exitCode !== 0) await write(`exit code ${exitCode}: ${exitCode === exitCodes.failed ? "failed" : "not measurable"}\n`);
  return exitCode;
}

/** Sends the sound cases, and the others where a sound one was accepted. */
async function resultsOf({ url, secrets }: ReceiverSettings, cases: readonly Case[], { ended }: Listener): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of [...soundCases, ...cases]) {
    if ((results.length === 1 && results[0]?.unanswered) || (results.length === soundCases.length && reasonOf(results))) break;
    const result = await runCase(url, one, secrets);
    results.push(result);
    await ended(result);
  }
  return results;
}

type Listener = { ended: (result: Result) => Promise<void> };

/** The cases after the sound ones. */
function selectedCases({ secrets, only }: ReceiverSettings): Case[] {
  const cases = [...acceptedCases(secrets), ...refusedCases, lastCase];
  const selected = cases.filter(({ title }) => only === null || title.includes(only));
  const isSound = soundCases.some(({ title }) => only !== null && title.includes(only));
  if (selected.length === 0 && !isSound) throw new UsageError(`--only ${only} matches no case`);
  return selected;
}

/** Why the receiver cannot be tested: what is accepted of nothing says nothing. Null: it can. */
function reasonOf(results: readonly Result[]): Run["reason"] {
  const [first] = results;
  if (!first || results.some(({ rule }) => rule.state === "passed")) return null;
  const curl = first.curls[0] ?? null;
  if (first.unanswered) return { text: `the receiver cannot be reached: ${first.came}`, curl };
  if (first.rule.state === "not run") return { text: `sound deliveries were not judged: ${first.rule.why}`, curl };
  return { text: `every sound delivery was refused (${first.came}): are address and --secret those of this receiver?`, curl };
}

const newRun = ({ url, only }: ReceiverSettings): Run => ({
  verdict: "not measurable",
  reason: null,
  server: { url, ours: false },
  implementation: url,
  mutant: null,
  versions,
  profile: receiverProfile,
  depth: "full",
  lengthUnit: "code-points",
  only,
  changedSince: null,
  shard: null,
  seed: 0,
  options: [],
  startedAt: new Date(),
  milliseconds: 0,
  notes: [],
  rules: [],
  leftOut: [],
  errors: [],
});

function finish(run: Run, results: readonly Result[]): void {
  run.rules = results.map(({ rule }) => rule);
  run.milliseconds = Date.now() - run.startedAt.getTime();
  if (run.reason === null) run.verdict = run.rules.some(({ state }) => state === "failed") ? "failed" : "passed";
}

/** Waits until the text is written: process.exit would cut off what a pipe has not taken yet. */
const writerTo =
  (out: NodeJS.WriteStream) =>
  (text: string): Promise<void> =>
    new Promise((written) => void out.write(text, () => written()));

// What the command prints about a receiver.

type Paint = ReturnType<typeof paintFor>;

type Shown = Readonly<{ run: Run; showRequests: boolean; paint: Paint }>;

/** A line that says what came; where it is not what the title says, also what was expected, the requests and how to send them anew. */
function caseText({ rule, came, advice, curls }: Result, { run, showRequests, paint }: Shown): string {
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
function summaryText(run: Run, results: readonly Result[], paint: Paint): string {
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
