import { join } from "node:path";

import { type Serving, serve } from "../harness/server/serve.ts";
import { type Target, useTarget } from "../harness/server/target.ts";
import { eventsTo } from "../report/events.ts";
import type { Run, Verdict } from "../report/run.ts";
import { progress, summary } from "../report/terminal.ts";
import { prepareFolder, writeReports } from "../report/write.ts";
import { calibrate, NotMeasurable } from "./calibrate.ts";
import { watchForSignals } from "./interruption.ts";
import { limitOf } from "./limits.ts";
import { measure } from "./measure.ts";
import type { Settings } from "./options.ts";
import { planOf } from "./plan.ts";
import { chosen } from "./rule-files.ts";
import { newTarget } from "./target.ts";

const exitCodes: Record<Verdict, number> = { passed: 0, failed: 1, "not measurable": 2 };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Finds or starts the server, calibrates, runs the rules, writes the reports. Answers the exit code. */
export async function run(settings: Settings): Promise<number> {
  const begun = performance.now();
  const result = newRun(settings);
  prepareFolder(settings.report);
  const events = eventsTo(join(settings.report, "events.ndjson"));
  say(`profile ${settings.profile}, ${settings.depth}, seed ${settings.seed}`);
  let serving: Serving | null = null;
  const interruption = watchForSignals();
  try {
    serving = await begin(settings, result);
    interruption.check();
    events.start(result);
    const targets = await prepare(settings, serving, result);
    await measure({ settings, targets, result, interruption, listeners: [events, progress(process.stdout)] });
    interruption.check();
  } catch (error) {
    Object.assign(result, { verdict: "not measurable", reason: reasonOf(error) });
  } finally {
    await serving?.stop().catch((error: unknown) => result.errors.push(String(error)));
  }
  if (result.errors.length > 0 && result.verdict === "passed") result.verdict = "failed";
  result.milliseconds = performance.now() - begun;
  events.end(result);
  writeReports(settings.report, result);
  process.stdout.write(summary(result, process.stdout));
  say(`reports in ${settings.report}: report.html, junit.xml, events.ndjson${settings.har ? ", requests.har" : ""}`);
  return exitCodes[result.verdict];
}

const newRun = ({ url, profile, depth, only, seed }: Settings): Run => ({
  verdict: "not measurable",
  reason: null,
  server: { url: url ?? "", ours: url === undefined },
  profile,
  depth,
  only,
  seed,
  startedAt: new Date(),
  milliseconds: 0,
  notes: [],
  rules: [],
  leftOut: [],
  errors: [],
});

/** A reason that nobody foresaw is told in full. */
function reasonOf(error: unknown): Run["reason"] {
  if (error instanceof NotMeasurable) return { text: error.message, curl: error.curl };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), curl: null };
}

async function begin(settings: Settings, result: Run): Promise<Serving> {
  const { url } = settings;
  const count = Math.min(settings.servers, chosen(settings).files.length);
  if (url === undefined) say(count > 1 ? `${count} servers of ours are being started …` : "our server is being started …");
  void import("vitest/node"); // takes a while, too
  const begun = performance.now();
  const serving = await serve(url, process.env, Math.max(1, count)).catch((error: unknown) => {
    throw new NotMeasurable(`our server did not start: ${error instanceof Error ? error.message : error}`);
  });
  const [first, ...others] = serving.served.map((one) => one.url);
  result.server.url = first as string;
  const took = url === undefined ? ` (started in ${((performance.now() - begun) / 1000).toFixed(1)} s)` : "";
  say(`server  ${[first, ...others].join(", ")}${took}`);
  return serving;
}

/** Calibrates, and decides how much is run. */
async function prepare(settings: Settings, { served }: Serving, result: Run): Promise<[Target, ...Target[]]> {
  const note = (text: string): void => {
    result.notes.push(text);
    say(`        ${text}`);
  };
  const target = newTarget(settings, served[0]);
  useTarget(target);
  if (target.foreign) note("the donations of this run stay on the server; streamers are alerted only where a rule is about alerts");
  const { notes, replies } = await calibrate();
  notes.forEach(note);
  const { sample, pace, words } = planOf(settings, limitOf(replies));
  words.forEach(note);
  const [, ...others] = served;
  return [{ ...target, sample, pace }, ...others.map((one) => ({ ...target, ...one, sample, pace }))];
}
