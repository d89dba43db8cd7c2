// A whole run: servers, preparation, rules, reports, exit code.

import { join } from "node:path";
import { familyOf } from "../contract/offline-rules.ts";
import { openEvents, writeEvents } from "../report/events.ts";
import { versions } from "../report/format.ts";
import { outcomeOf } from "../report/headline.ts";
import type { Run, Verdict } from "../report/run.ts";
import { print, progress, summary } from "../report/terminal.ts";
import { formats, prepareFolder, reportToGithub, writeReports } from "../report/write.ts";
import { type Serving, serve } from "../servers/serve.ts";
import { baselineRun, readBaseline } from "./baseline.ts";
import { measuredTimeOf } from "./measured.ts";
import { limitTime, prepare } from "./prepare.ts";
import type { Protecting, Restored } from "./protect.ts";
import { selectRules } from "./rule-files.ts";
import { runSelectedRules, watchForSignals } from "./run-rules.ts";
import { type Settings, withOAuth } from "./settings.ts";
import { NotMeasurable } from "./usage-error.ts";
import { preloadVitest } from "./vitest.ts";

export const exitCodes: Record<Verdict, number> = { passed: 0, failed: 1, "not measurable": 2 };
const incompleteExitCode = 3;

/** `complete`: a run in which not everything required was tried has an exit code of its own. */
export const exitCodeOf = (run: Run, complete: boolean): number =>
  complete && outcomeOf(run) === "incomplete" ? incompleteExitCode : exitCodes[run.verdict];

/** Starts servers or uses the given one, calibrates, runs the rules and writes the reports. Resolves to the exit code. */
export async function run(settings: Settings): Promise<number> {
  const baseline = baselineRun(settings.baseline === null ? null : readBaseline(settings.baseline, settings.updateBaseline), settings);
  const startedAtMs = performance.now();
  const result = newRun(settings);
  prepareFolder(settings.report);
  const eventsFile = join(settings.report, "events.ndjson");
  const events = openEvents(eventsFile);
  print(`profile ${settings.profile}, ${settings.depth}, seed ${settings.seed}`);
  const addErrors = (messages: readonly string[]): void => {
    result.errors.push(...messages);
    messages.forEach(events.error);
  };
  const addRestored = ({ failures, notes }: Restored): void => {
    addErrors(failures);
    result.notes.push(...notes);
    notes.forEach(print);
  };
  let serving: Serving | null = null;
  let protecting: Protecting | null = null as Protecting | null;
  const interruption = watchForSignals();
  try {
    serving = await startServers(settings, result);
    interruption.throwIfInterrupted();
    events.start(result);
    const targets = await prepare(settings, serving, result, (made) => void (protecting = made));
    limitTime(settings, result, targets);
    await runSelectedRules({
      settings,
      targets,
      result,
      interruption,
      listeners: [...baseline.listeners, events, progress(process.stdout)],
    });
    interruption.throwIfInterrupted();
  } catch (error) {
    Object.assign(result, { verdict: "not measurable", reason: reasonOf(error) });
  } finally {
    if (protecting) addRestored(await protecting.restore());
    await serving?.stop().catch((error: unknown) => addErrors([String(error)]));
  }
  addErrors(baseline.verify(result));
  if (result.errors.length > 0 && result.verdict === "passed") result.verdict = "failed";
  result.milliseconds = performance.now() - startedAtMs;
  if (settings.updateBaseline)
    writeEvents(eventsFile, result); // its rules are known now
  else events.end(result);
  reportRun(settings, result);
  const exitCode = exitCodeOf(result, settings.complete);
  if (exitCode !== 0) print(`exit code ${exitCode}: ${outcomeOf(result)}`);
  return exitCode;
}

/** Writes every report and prints the summary. */
function reportRun({ report, har }: Settings, run: Run): void {
  writeReports(report, run);
  process.stdout.write(summary(run, process.stdout));
  for (const line of reportToGithub(run, process.env)) print(line);
  print(`reports are in ${report}: ${[...Object.keys(formats), "events.ndjson", ...(har ? ["requests.har"] : [])].join(", ")}`);
}

const newRun = ({ url, profile, depth, lengthUnit, only, changedSince, shard, seed, implementation, repeated }: Settings): Run => ({
  verdict: "not measurable",
  reason: null,
  server: { url: url ?? "", ours: url === undefined },
  implementation: implementation ?? url ?? "this project",
  mutant: process.env.MUTANT || null,
  versions,
  profile,
  depth,
  lengthUnit,
  only,
  changedSince,
  shard,
  seed,
  options: repeated,
  startedAt: new Date(),
  milliseconds: 0,
  notes: [],
  rules: [],
  leftOut: [],
  errors: [],
});

/** Unexpected errors are reported with their stack. */
function reasonOf(error: unknown): Run["reason"] {
  if (error instanceof NotMeasurable) return { text: error.message, curl: error.curl };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), curl: null };
}

/** Seconds of rules that a further server is started for: a start takes some seconds itself. */
const secondsPerServer = 20;

/** Rules wait for much of their time. PostgreSQL allows 100 connections by default, of which each server opens up to 39; the embedded one has 400. */
function serverCount(settings: Settings): number {
  const { files, titles } = selectRules(settings);
  const seconds = files.reduce((sum, file) => sum + measuredTimeOf(familyOf(file)) / 1000, 0);
  const isSmall = settings.depth === "quick" || (settings.only !== null && titles !== undefined);
  const worthwhile = isSmall ? 1 : Math.min(process.env.DATABASE_URL ? 2 : 4, Math.ceil(seconds / secondsPerServer));
  return Math.max(1, Math.min(settings.servers ?? worthwhile, files.length));
}

async function startServers(settings: Settings, result: Run): Promise<Serving> {
  const { url, oauth, loginCommand } = settings;
  const count = serverCount(settings);
  if (url === undefined) print(count > 1 ? `starting ${count} servers …` : "starting a server …");
  preloadVitest(); // while the servers start
  const begun = performance.now();
  const serving = await serve(url, process.env, count).catch((error: unknown) => {
    throw new NotMeasurable(`the server did not start: ${error instanceof Error ? error.message : error}`);
  });
  const [first, ...others] = serving.served.map((one) => one.url);
  result.server.url = first as string;
  const took = url === undefined ? ` (started in ${((performance.now() - begun) / 1000).toFixed(1)} s)` : "";
  print(`server  ${[first, ...others].join(", ")}${took}`);
  return oauth ? withOAuth(serving, oauth, { loginCommand, terminal: process.stdin.isTTY === true && !process.env.CI }) : serving;
}
