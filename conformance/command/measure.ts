import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Redactor, redactor } from "../harness/client/redact.ts";
import { remembered } from "../harness/client/secrets.ts";
import { othersOver, type Target } from "../harness/server/target.ts";
import { type Listener, reporter } from "../report/reporter.ts";
import type { Run } from "../report/run.ts";
import { writeHar } from "../report/write.ts";
import { NotMeasurable } from "./calibrate.ts";
import type { Interruption } from "./interruption.ts";
import type { Settings } from "./options.ts";
import { type Chosen, chosen } from "./rule-files.ts";
import { openVitest } from "./vitest.ts";

export type Job = {
  settings: Settings;
  /** The server that is named in reports first. */
  targets: [Target, ...Target[]];
  /** Gets the rules, and the verdict. */
  result: Run;
  listeners: Partial<Listener>[];
  interruption: Interruption;
};

/** Runs the rules against a server that was calibrated. */
export async function measure(job: Job): Promise<void> {
  const { settings, targets, result } = job;
  const picked = chosen(settings);
  result.leftOut = picked.leftOut;
  if (settings.har)
    await keepingRequests(job, (requests) => runRules({ ...job, targets: forAll(targets, (target) => ({ ...target, requests })) }, picked));
  else await runRules(job, picked);
  const ran = result.rules.filter(({ state }) => state !== "not run");
  if (ran.length === 0 && result.errors.length === 0)
    throw new NotMeasurable(`no rule was run${picked.files.length > 0 ? "" : ": none fits"}`);
  const failed = result.errors.length > 0 || ran.some(({ state }) => state === "failed");
  result.verdict = failed ? "failed" : "passed";
}

/** `attempt` gets the file to which the suite writes its requests; they end in the report. */
async function keepingRequests({ settings, targets }: Job, attempt: (file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "namjai-conformance-har-"));
  const file = join(folder, "requests.ndjson");
  try {
    await attempt(file);
    writeHar(settings.report, file, secretsGone(targets)());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runRules({ settings, targets, result, listeners, interruption }: Job, { files, titles }: Chosen): Promise<void> {
  if (files.length === 0) return;
  const timeout = targets[0].pace === null ? undefined : settings.minutes * 60_000;
  const reporters = [reporter(toAll([collector(result), lastOne(targets, files.length), ...listeners]), secretsGone(targets))];
  const vitest = await openVitest(files, { titles, targets, reporters, json: settings.json, timeout });
  interruption.onSignal(() => vitest.cancelCurrentRun("keyboard-input"));
  try {
    await vitest.start();
  } finally {
    await vitest.close();
  }
}

const forAll = ([first, ...others]: Job["targets"], change: (target: Target) => Target): Job["targets"] => [
  change(first),
  ...others.map(change),
];

/** What the suite has seen by now is replaced, wherever it stands. */
const secretsGone =
  ([target]: Job["targets"]) =>
  (): Redactor =>
    redactor(target, remembered());

/** Tells the file that looks at what all others left when only one is not over: itself. */
function lastOne([{ oauth }]: Job["targets"], files: number): Partial<Listener> {
  let left = files;
  const tell = (): void => {
    if (left === 1 && oauth) writeFileSync(join(oauth.logs, othersOver), "");
  };
  tell();
  return {
    familyEnds: () => {
      left -= 1;
      tell();
    },
  };
}

const collector = (result: Run): Partial<Listener> => ({
  rule: (rule) => void result.rules.push(rule),
  error: (message) => void result.errors.push(message),
});

function toAll(listeners: readonly Partial<Listener>[]): Listener {
  return {
    familyStarts: (...event) => listeners.forEach(({ familyStarts }) => void familyStarts?.(...event)),
    rule: (...event) => listeners.forEach(({ rule }) => void rule?.(...event)),
    familyEnds: (...event) => listeners.forEach(({ familyEnds }) => void familyEnds?.(...event)),
    error: (...event) => listeners.forEach(({ error }) => void error?.(...event)),
  };
}
