// `make bench`: what each reading operation costs on a history of 100,000 donations and on one fifty times as long, what recording
// costs beside a hand-written server, and how the server behaves with many overlays, under overload and at its start.
//   ROWS=300000      length of the longer history (5,000,000)      TIMES=30     requests, or starts, for each number
//   PARTS=reports,explain,export,studio,upkeep,create,read,overlay,events,webhooks,import,fairness,traces,overload,start      ONLY=pattern for questions such as "stats, 30 days"
//   ROUNDS=5, SECONDS=5                              for the create and read parts, which have databases of their own and need wrk
//   READ_ROWS=100000                                 donations of the streamer in the read part; ONLY=pattern for its titles
//   READ_OTHERS=9999                                 other streamers in the read part, with as many donations each (none)
//   CONNECTIONS=2000, DONATIONS=300                  for the overlay part, which has a database of its own
//   STREAMS=2000, ACTIVE=1000, RATE=1000             for the events part, which has a database of its own
//   HOOK_RATE=600, ENDPOINTS=4                       for the webhooks part, which has a database of its own
//   ROWS=1000000, LIVE_RATE=50                       for the import part, which has a database of its own: lines alone (a twentieth beside live donations), live donations a second
//   FAIRNESS_SECONDS=5, ROUNDS=5                     for the fairness part, which has a database of its own
//   TRACE_DONATIONS=1500, ROUNDS=5                   for the traces part, which has a database of its own
//   OVERLOAD_SECONDS=60                              for the overload part, which has a database of its own and needs wrk
//   KEEP=1           keep the embedded database      REUSE=directory measures a kept one again

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cleanupAtTheEnd } from "../program.ts";
import { eventsText, measureEvents } from "./events.ts";
import { explain, maySeePlans, plansText } from "./explain.ts";
import { prepare } from "./histories.ts";
import { fairnessText, importsText, measureFairness, measureImports } from "./imports.ts";
import { count } from "./measure.ts";
import { measureTraces, measureUpkeep, tracesText, upkeepText } from "./overhead.ts";
import { measureOverlay, overlayText } from "./overlay.ts";
import { measureOverload, overloadText } from "./overload.ts";
import { exportText, linesTable, measure, measureExport, missedAims, questionsFor } from "./questions.ts";
import { results, type Setting } from "./setting.ts";
import { hasWrk } from "./speed/comparison.ts";
import { measureSpeed, speedText } from "./speed/create.ts";
import { log } from "./speed/participants.ts";
import { measureReads, readsText } from "./speed/reads.ts";
import { measureStart, startText } from "./start.ts";
import { measureFirstPaint, measureStudio, paintText, studioText } from "./studio.ts";
import { measureWebhooks, webhooksText } from "./webhooks.ts";

const parts = (
  process.env.PARTS || "reports,explain,export,studio,upkeep,create,read,overlay,events,webhooks,import,fairness,traces,overload,start"
).split(",");
const measuredAlone: Record<string, (databaseUrl: string | undefined) => Promise<void>> = {
  ...{ create: speed, read: reads, overlay, events, webhooks, import: imports, fairness, traces, overload, start: starting },
};

const number = (name: string, fallback: number) => Number(process.env[name] || fallback);

const times = number("TIMES", 30);

const cleanup = cleanupAtTheEnd();

try {
  const options = {
    rows: { smaller: 100_000, larger: number("ROWS", 5_000_000) },
    databaseUrl: process.env.DATABASE_URL || undefined,
    reuse: process.env.REUSE || undefined,
    keep: Boolean(process.env.KEEP || process.env.REUSE),
  };
  if (parts.some((part) => !(part in measuredAlone))) await run(await prepare(options, cleanup));
  for (const [part, measurePart] of Object.entries(measuredAlone))
    if (parts.includes(part)) {
      await cleanup.run(); // what the part before has left to do would slow this one down
      await measurePart(options.databaseUrl);
    }
} catch (error) {
  if (!cleanup.ended.aborted) throw error; // a request under way fails when its server ends
} finally {
  await cleanup.run();
}

async function run(setting: Setting): Promise<void> {
  const { rows, notes } = setting;
  const said: string[] = [];
  const say = (...lines: string[]) => {
    console.log(lines.join("\n"));
    said.push(...lines);
  };
  const found: Record<string, unknown> = { at: new Date().toISOString(), rows, times, notes };
  const server = await setting.serve();
  try {
    say(`Histories of ${count(rows.smaller)} and ${count(rows.larger)} donations, one in five minutes.`, ...notes);
    const only = new RegExp(process.env.ONLY || "");
    const questions = (await questionsFor(server.url, setting)).filter(({ operation, range }) => only.test(`${operation}, ${range}`));
    if (parts.includes("reports")) {
      const lines = await measure(server.url, setting, questions, times);
      found.reports = lines;
      say("", `Milliseconds over HTTP, ${times} requests each, both histories in turn:`, "", linesTable(lines, rows), "");
      const missed = missedAims(lines);
      say(
        ...(missed.length > 0
          ? ["Missed:", ...missed]
          : ["Every line reaches the aim: a p50 of at most 50 ms and a ratio of at most 1.5."]),
      );
    }
    if (parts.includes("explain") && !(await maySeePlans(setting))) say("", "Plans: not run, the database user is no superuser.");
    else if (parts.includes("explain")) {
      const plans = await explain(setting, questions, join(results, "explain"));
      found.explain = plans;
      say("", "EXPLAIN (ANALYZE, BUFFERS) of every statement, on both histories, is in bench-results/explain.", ...plansText(plans));
    }
    if (parts.includes("export")) {
      found.export = await measureExport(server.url, server.pid, setting);
      say("", "Export:", exportText(found.export as Awaited<ReturnType<typeof measureExport>>));
    }
    if (parts.includes("studio")) {
      const measured = await measureStudio(server.url, setting, times);
      found.studio = measured;
      say("", `Pages of the studio, milliseconds until the last byte, ${times} requests each:`, "", ...studioText(measured, rows));
      const painted = await measureFirstPaint(server.url, setting).catch((error: Error) => error.message);
      found.firstPaint = painted;
      const title = `First contentful paint in Chromium on the history of ${count(rows.larger)}, milliseconds, an empty cache:`;
      say("", title, "", typeof painted === "string" ? painted : paintText(painted));
    }
    if (parts.includes("upkeep")) {
      const rounds = await measureUpkeep(server.url, setting, 3);
      found.upkeep = rounds;
      say("", "Recording through 64 connections, with and without the workers of roll-ups and search:", "", ...upkeepText(rounds));
    }
  } finally {
    await server.stop();
    await writeFile(join(results, "reports.json"), `${JSON.stringify(found, null, 2)}\n`);
    await writeFile(join(results, "reports.txt"), `${said.join("\n")}\n`);
  }
}

async function speed(databaseUrl: string | undefined): Promise<void> {
  if (!(await hasWrk())) return console.log("Create: not run, it needs the program wrk.");
  const options = { rounds: number("ROUNDS", 5), seconds: number("SECONDS", 5), databaseUrl };
  const found = await measureSpeed(options, cleanup);
  await writeResults("create", found, speedText(found));
  await rm(log, { force: true });
}

async function reads(databaseUrl: string | undefined): Promise<void> {
  if (!(await hasWrk())) return console.log("Read: not run, it needs the program wrk.");
  const options = {
    rows: number("READ_ROWS", 100_000),
    others: number("READ_OTHERS", 0),
    rounds: number("ROUNDS", 5),
    seconds: number("SECONDS", 5),
    only: new RegExp(process.env.ONLY || ""),
    databaseUrl,
  };
  const found = await measureReads(options, cleanup);
  const { rows, others } = found;
  const name = `read${rows === 100_000 ? "" : `-${rows}`}${others === 0 ? "" : `-of-${others + 1}`}`;
  await writeResults(name, found, readsText(found));
  await rm(log, { force: true });
}

async function overlay(databaseUrl: string | undefined): Promise<void> {
  const connections = number("CONNECTIONS", 2_000);
  const donations = number("DONATIONS", 300);
  const found = await measureOverlay({ connections, donations, databaseUrl }, cleanup);
  await writeResults("overlay", found, overlayText(found));
}

async function events(databaseUrl: string | undefined): Promise<void> {
  const sizes = { streams: number("STREAMS", 2_000), active: number("ACTIVE", 1_000), rate: number("RATE", 1_000) };
  const found = await measureEvents({ ...sizes, seconds: number("EVENT_SECONDS", 20), databaseUrl }, cleanup);
  await writeResults("events", found, eventsText(found));
}

async function webhooks(databaseUrl: string | undefined): Promise<void> {
  const sizes = { streamers: number("HOOK_STREAMERS", 50), endpoints: number("ENDPOINTS", 4), seconds: number("HOOK_SECONDS", 10) };
  const rates = { rate: number("HOOK_RATE", 600), delayRate: number("DELAY_RATE", 50) };
  const found = await measureWebhooks({ ...sizes, ...rates, databaseUrl }, cleanup);
  await writeResults("webhooks", found, webhooksText(found));
}

async function imports(databaseUrl: string | undefined): Promise<void> {
  const rows = number("ROWS", 1_000_000);
  const found = await measureImports({ rows, liveRate: number("LIVE_RATE", 50), aloneSeconds: 20, databaseUrl }, cleanup);
  await writeResults("import", found, importsText(found));
}

async function fairness(databaseUrl: string | undefined): Promise<void> {
  const options = { rounds: number("ROUNDS", 5), seconds: number("FAIRNESS_SECONDS", 5), databaseUrl };
  const found = await measureFairness(options, cleanup);
  await writeResults("fairness", found, fairnessText(found));
}

async function traces(databaseUrl: string | undefined): Promise<void> {
  const options = { rounds: number("ROUNDS", 5), donations: number("TRACE_DONATIONS", 1_500), databaseUrl };
  const found = await measureTraces(options, cleanup);
  await writeResults("traces", found, tracesText(found));
}

async function overload(databaseUrl: string | undefined): Promise<void> {
  if (!(await hasWrk())) return console.log("Overload: not run, it needs the program wrk.");
  const seconds = number("OVERLOAD_SECONDS", 60);
  const found = await measureOverload({ seconds, databaseUrl }, cleanup);
  await writeResults("overload", found, overloadText(found, seconds));
}

async function starting(databaseUrl: string | undefined): Promise<void> {
  const found = await measureStart({ times, databaseUrl }, cleanup);
  await writeResults("start", found, startText(found));
}

/** Prints the lines, and writes them to bench-results/ with all figures. */
async function writeResults(name: string, found: object, lines: readonly string[]): Promise<void> {
  console.log(["", ...lines].join("\n"));
  await writeFile(join(results, `${name}.json`), `${JSON.stringify({ at: new Date().toISOString(), ...found }, null, 2)}\n`);
  await writeFile(join(results, `${name}.txt`), `${lines.join("\n")}\n`);
}
