import { join } from "node:path";

import type { LengthUnit } from "../harness/oracle/length-units.ts";
import { type Serving, serve } from "../harness/server/serve.ts";
import { type Target, useTarget } from "../harness/server/target.ts";
import { openEvents, runOf } from "../report/events.ts";
import { nameOf } from "../report/failure-digest.ts";
import type { Listener } from "../report/reporter.ts";
import type { Run, Verdict } from "../report/run.ts";
import { progress, summary } from "../report/terminal.ts";
import { versions } from "../report/versions.ts";
import { formats, prepareFolder, reportToGithub, writeReports } from "../report/write.ts";
import { limitOf } from "./announced-limits.ts";
import { type Baseline, baselineFaults, baselineRemarks, markKnown, type Names, readBaseline, updateBaseline } from "./baseline.ts";
import { calibrate, calibrateReading, NotMeasurable } from "./calibrate.ts";
import { watchForSignals } from "./interruption.ts";
import { selectedShare } from "./list.ts";
import type { Settings } from "./options.ts";
import { planOf } from "./plan.ts";
import { type Protecting, protect } from "./protect.ts";
import { familyOf, selectRules } from "./rule-files.ts";
import { runSelectedRules } from "./run-rules.ts";
import { createTarget } from "./target.ts";
import { slotsOf } from "./time-slots.ts";
import { preloadVitest } from "./vitest.ts";

export const exitCodes: Record<Verdict, number> = { passed: 0, failed: 1, "not measurable": 2 };
const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts servers or uses the given one, calibrates, runs the rules and writes the reports. Resolves to the exit code. */
export async function run(settings: Settings): Promise<number> {
  const baseline = settings.baseline === null ? null : readBaseline(settings.baseline, settings.updateBaseline);
  const titles = new Map<string, Set<string>>();
  const startedAtMs = performance.now();
  const result = newRun(settings);
  prepareFolder(settings.report);
  const events = openEvents(join(settings.report, "events.ndjson"));
  print(`profile ${settings.profile}, ${settings.depth}, seed ${settings.seed}`);
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
      listeners: [...watchBaseline(baseline, titles), events, progress(process.stdout)],
    });
    interruption.throwIfInterrupted();
  } catch (error) {
    Object.assign(result, { verdict: "not measurable", reason: reasonOf(error) });
  } finally {
    if (protecting) result.errors.push(...(await protecting.restore()));
    await serving?.stop().catch((error: unknown) => result.errors.push(String(error)));
  }
  if (baseline && result.verdict !== "not measurable") judgeByBaseline(baseline, result, { families: familiesOfProfile(settings), titles });
  if (result.errors.length > 0 && result.verdict === "passed") result.verdict = "failed";
  result.milliseconds = performance.now() - startedAtMs;
  events.end(result);
  reportRun(settings, runOf(events.written));
  const exitCode = exitCodes[result.verdict];
  if (exitCode !== 0) print(`exit code ${exitCode}: ${result.verdict}`);
  return exitCode;
}

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

const unitNotes: Record<LengthUnit, string> = {
  all: "lengths are tested where code points, UTF-16 units and graphemes lead to the same decision; --length-unit tests the others",
  "code-points": "a character of a text is a code point (--length-unit)",
  "utf-16": "a character of a text is a UTF-16 unit (--length-unit)",
  graphemes: "a character of a text is a grapheme (--length-unit)",
};

const today = (): string => new Date().toISOString().slice(0, 10);

/** Listeners that mark known failures, before reports see them, and collect the titles of all rules. */
const watchBaseline = (baseline: Baseline | null, titles: Map<string, Set<string>>): Partial<Listener>[] =>
  baseline
    ? [
        {
          collected: (family, names) => void titles.set(family, new Set(names.map((title) => nameOf({ family, title })))),
          rule: (rule) => markKnown(baseline, rule, today()),
        },
      ]
    : [];

/** Adds what is wrong with the baseline to the errors; with `--baseline-update` writes it, and what it names is no failure then. */
function judgeByBaseline(baseline: Baseline, result: Run, names: Names): void {
  if (!baseline.update) {
    result.errors.push(...baselineFaults(baseline, result, names));
    const remarks = baselineRemarks(baseline, result, today()).map((text) => `baseline: ${text}`);
    result.notes.push(...remarks);
    remarks.forEach(print);
    return;
  }
  const known = updateBaseline(baseline, result, names, today());
  for (const rule of result.rules) markKnown({ known }, rule, today());
  if (result.errors.length === 0) result.verdict = "passed";
  print(`${baseline.file} names ${known.length} known failures`);
}

const familiesOfProfile = ({ profile }: Settings): Set<string> =>
  new Set(selectRules({ profile, depth: "full", only: null }).files.map(familyOf));

/** Writes every report and prints the summary. */
function reportRun({ report, har }: Settings, run: Run): void {
  writeReports(report, run);
  process.stdout.write(summary(run, process.stdout));
  for (const line of reportToGithub(run, process.env)) print(line);
  print(`reports are in ${report}: ${[...Object.keys(formats), "events.ndjson", ...(har ? ["requests.har"] : [])].join(", ")}`);
}

const newRun = ({ url, profile, depth, lengthUnit, only, seed, implementation }: Settings): Run => ({
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
  seed,
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

async function startServers(settings: Settings, result: Run): Promise<Serving> {
  const { url } = settings;
  const count = Math.min(settings.servers, selectRules(settings).files.length);
  if (url === undefined) print(count > 1 ? `starting ${count} servers …` : "starting a server …");
  preloadVitest(); // while the servers start
  const begun = performance.now();
  const serving = await serve(url, process.env, Math.max(1, count)).catch((error: unknown) => {
    throw new NotMeasurable(`the server did not start: ${error instanceof Error ? error.message : error}`);
  });
  const [first, ...others] = serving.served.map((one) => one.url);
  result.server.url = first as string;
  const took = url === undefined ? ` (started in ${((performance.now() - begun) / 1000).toFixed(1)} s)` : "";
  print(`server  ${[first, ...others].join(", ")}${took}`);
  return serving;
}

/** Gives the rule files of a quick run their share of its time, which includes that of starting the server. */
function limitTime(settings: Settings, { startedAt }: Run, targets: readonly Target[]): void {
  if (settings.seconds === null) return;
  const slots = slotsOf(selectRules(settings).files, Date.now(), startedAt.getTime() + settings.seconds * 1000);
  for (const target of targets) target.slots = slots;
}

/** Calibrates against the first server, and decides how many rules and values are run and how fast. */
async function prepare(
  settings: Settings,
  { served }: Serving,
  result: Run,
  onProtected: (protecting: Protecting) => void,
): Promise<[Target, ...Target[]]> {
  const note = (text: string): void => {
    result.notes.push(text);
    print(`        ${text}`);
  };
  const target = createTarget(settings, served[0]);
  useTarget(target);
  if (settings.profile === "interface") note(unitNotes[settings.lengthUnit]);
  const proxy = proxyVariables.find((name) => process.env[name]);
  if (proxy) note(`${proxy} is ignored: requests go to the server directly, byte by byte as the rules write them`);
  if (target.foreign && !settings.readOnly) note("the donations of this run stay on the server; only rules about alerts cause alerts");
  const { shard } = settings;
  if (shard) note(`shard ${shard.index} of ${shard.count}: ${selectRules(settings).files.length} rule files`);
  const { notes, replies } = await (settings.readOnly ? calibrateReading() : calibrate(settings.profile));
  notes.forEach(note);
  const protecting = target.foreign ? await protect(target, settings) : null;
  if (protecting) onProtected(protecting);
  protecting?.notes.forEach(note);
  const limit = limitOf(replies);
  const { sample, pace, notes: words } = planOf(settings, limit, limit ? await selectedShare(settings) : 1);
  words.forEach(note);
  const [, ...others] = served;
  const made = { ...target, sample, pace, protection: protecting?.protection ?? null };
  return [made, ...others.map((one) => ({ ...made, ...one }))];
}
