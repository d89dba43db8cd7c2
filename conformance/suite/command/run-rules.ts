// Runs rule files with vitest against prepared servers.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { terminalTimeoutMs } from "../client/oauth/authorization.ts";
import { type Listener, reporter } from "../report/reporter.ts";
import { isUnknownFailure, type Run } from "../report/run.ts";
import { print } from "../report/terminal.ts";
import { writeHar } from "../report/write.ts";
import { type Redactor, redactor, remembered } from "../values/redact.ts";
import { othersFinished, type Target } from "../values/target.ts";
import { type Selection, selectRules } from "./rule-files.ts";
import type { Settings } from "./settings.ts";
import { NotMeasurable } from "./usage-error.ts";
import { openVitest, type Timeouts } from "./vitest.ts";

type RuleRun = {
  settings: Settings;
  /** The servers; reports name the first one. */
  targets: [Target, ...Target[]];
  /** The rules and the verdict are written into this. */
  result: Run;
  listeners: Partial<Listener>[];
  interruption: Interruption;
};

/** Runs the selected rules against calibrated servers. Throws NotMeasurable when no rule was run. */
export async function runSelectedRules(run: RuleRun): Promise<void> {
  const { settings, targets, result } = run;
  const selection = selectRules(settings);
  result.leftOut = selection.leftOut;
  if (settings.har)
    await recordRequests(run, (requests) =>
      runRules({ ...run, targets: mapTargets(targets, (target) => ({ ...target, requests })) }, selection),
    );
  else await runRules(run, selection);
  const completed = result.rules.filter(({ state }) => state !== "not run");
  if (completed.length === 0 && result.errors.length === 0)
    throw new NotMeasurable(`no rule was run${selection.files.length > 0 ? "" : ": none matches --only"}`);
  const failed = result.errors.length > 0 || completed.some(isUnknownFailure);
  result.verdict = failed ? "failed" : "passed";
}

/** Runs the rules with a temporary file that collects all requests, then writes it into the report as HAR. */
async function recordRequests({ settings, targets }: RuleRun, runWith: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "namjai-conformance-har-"));
  const file = join(folder, "requests.ndjson");
  try {
    await runWith(file);
    writeHar(settings.report, file, createRedactor(targets)());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runRules({ settings, targets, result, listeners, interruption }: RuleRun, { files, titles }: Selection): Promise<void> {
  if (files.length === 0) return;
  const reporters = [
    reporter(broadcast([collector(result), signalLastFile(targets, files.length), ...listeners]), createRedactor(targets)),
  ];
  const vitest = await openVitest(files, { titles, targets, reporters, json: settings.json, timeouts: timeoutsOf(targets[0], settings) });
  interruption.onSignal(() => vitest.cancelCurrentRun("keyboard-input"));
  try {
    await vitest.start();
  } finally {
    await vitest.close();
  }
}

/**
 * Against a server of someone else, rules may have to wait for its rate limit or for somebody who approves a client. They have a limit of
 * their own, without that time (suite/values/run-settings.ts).
 */
function timeoutsOf({ foreign, oauth }: Target, { minutes, loginCommand }: Settings): Timeouts | undefined {
  if (!foreign) return undefined;
  const byHand = oauth?.terminal && loginCommand === null ? 20 * terminalTimeoutMs : 0; // a rule may need several
  return { rule: 0, preparation: Math.max(byHand, minutes * 60_000) };
}

const mapTargets = ([first, ...others]: RuleRun["targets"], change: (target: Target) => Target): RuleRun["targets"] => [
  change(first),
  ...others.map(change),
];

/** Creates a redactor on demand, so that it also replaces secrets that were created during the run. */
const createRedactor =
  ([target]: RuleRun["targets"]) =>
  (): Redactor =>
    redactor(target, remembered());

/**
 * Writes the file `othersFinished` once a single rule file remains. The rule file that checks the logs of the whole run waits for it
 * and is the one that remains.
 */
function signalLastFile([{ oauth }]: RuleRun["targets"], files: number): Partial<Listener> {
  let remaining = files;
  const signalIfLast = (): void => {
    if (remaining === 1 && oauth) writeFileSync(join(oauth.logs, othersFinished), "");
  };
  signalIfLast();
  return {
    familyEnds: () => {
      remaining -= 1;
      signalIfLast();
    },
  };
}

const collector = (result: Run): Partial<Listener> => ({
  rule: (rule) => void result.rules.push(rule),
  note: (text) => {
    result.notes.push(text);
    print(text);
  },
  error: (message) => void result.errors.push(message),
});

function broadcast(listeners: readonly Partial<Listener>[]): Listener {
  return {
    familyStarts: (...event) => listeners.forEach(({ familyStarts }) => void familyStarts?.(...event)),
    collected: (...event) => listeners.forEach(({ collected }) => void collected?.(...event)),
    rule: (...event) => listeners.forEach(({ rule }) => void rule?.(...event)),
    note: (...event) => listeners.forEach(({ note }) => void note?.(...event)),
    familyEnds: (...event) => listeners.forEach(({ familyEnds }) => void familyEnds?.(...event)),
    error: (...event) => listeners.forEach(({ error }) => void error?.(...event)),
  };
}

// Ctrl-C and SIGTERM: the run ends early, and its reports say so.

/** Handles Ctrl-C and SIGTERM: the run ends early, started servers are stopped, and reports contain the results so far. */
type Interruption = {
  /** Throws NotMeasurable after a signal. */
  throwIfInterrupted: () => void;
  /** Registers a function that is called on a signal. */
  onSignal: (end: () => Promise<void>) => void;
};

const exitCodeInterrupted = 130;
/** A terminal sends Ctrl-C to every process of a command, and make or `--watch` passes it on: both are one signal. */
const sameSignalMs = 1_000;

export function watchForSignals(): Interruption {
  let interruptedAt: number | null = null;
  const handlers: (() => Promise<void>)[] = [];
  const interrupt = (): void => {
    if (interruptedAt !== null && performance.now() - interruptedAt > sameSignalMs) process.exit(exitCodeInterrupted); // a second one
    if (interruptedAt !== null) return;
    interruptedAt = performance.now();
    for (const end of handlers) void end();
  };
  const listen = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal).on(signal, interrupt);
  };
  listen();
  return {
    throwIfInterrupted: () => {
      if (interruptedAt !== null) throw new NotMeasurable("interrupted");
    },
    onSignal: (end) => {
      handlers.push(end);
      listen(); // replaces vitest's listener, which would end the process at once
    },
  };
}
