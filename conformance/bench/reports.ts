// `make bench`: what each reading operation costs on a history of 100,000 donations and on one fifty times as long, what recording
// costs beside a hand-written server, and what was taken out of a request's way.
//   ROWS=300000      length of the longer history (5,000,000)      TIMES=30     requests, or starts, for each number
//   PARTS=reports,explain,export,upkeep,create,overlay,overload,start      ONLY=pattern for questions such as "stats, 30 days"
//   ROUNDS=5, SECONDS=5                              for the create part, which has a database of its own and needs wrk
//   CONNECTIONS=2000, DONATIONS=300                  for the overlay part, which has a database of its own
//   OVERLOAD_SECONDS=60                              for the overload part, which has a database of its own and needs wrk
//   KEEP=1           keep the embedded database      REUSE=directory measures a kept one again

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cleanupAtTheEnd } from "./cleanup.ts";
import { explain, maySeePlans } from "./explain.ts";
import { measureExport } from "./export.ts";
import { measure } from "./measure.ts";
import { measureOverlay } from "./overlay.ts";
import { measureOverload, overloadText } from "./overload.ts";
import { questionsFor } from "./questions.ts";
import { count, prepare, results, type Setting } from "./setting.ts";
import { measureSpeed } from "./speed/speed.ts";
import { speedText } from "./speed/text.ts";
import { hasWrk } from "./speed/wrk.ts";
import { measureStart, startText } from "./start.ts";
import { exportText, linesTable, misses, overlayText, plansText, upkeepText } from "./table.ts";
import { measureUpkeep } from "./upkeep.ts";

const parts = (process.env.PARTS || "reports,explain,export,upkeep,create,overlay,overload,start").split(",");
const ownDatabase = ["create", "overlay", "overload", "start"];
const times = Number(process.env.TIMES || 30);

const cleanup = cleanupAtTheEnd();
try {
  const options = {
    rows: { smaller: 100_000, larger: Number(process.env.ROWS || 5_000_000) },
    databaseUrl: process.env.DATABASE_URL || undefined,
    reuse: process.env.REUSE || undefined,
    keep: Boolean(process.env.KEEP || process.env.REUSE),
  };
  if (parts.some((part) => !ownDatabase.includes(part))) await run(await prepare(options, cleanup));
  if (parts.includes("create")) await speed(options.databaseUrl);
  if (parts.includes("overlay")) await overlay(options.databaseUrl);
  if (parts.includes("overload")) await overload(options.databaseUrl);
  if (parts.includes("start")) await starting(options.databaseUrl);
} catch (error) {
  if (!cleanup.ended.aborted) throw error; // what was under way fails when its server goes
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
      const missed = misses(lines);
      say(
        ...(missed.length > 0
          ? ["Misses the promise:", ...missed]
          : ["Every line keeps the promise: p50 of at most 50 ms, ratio of at most 1.5."]),
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
    if (parts.includes("upkeep")) {
      const rounds = await measureUpkeep(server.url, setting, 3);
      found.upkeep = rounds;
      say("", "Recording through 64 connections, with the roll-ups and the search being kept and without:", "", ...upkeepText(rounds));
    }
  } finally {
    await server.stop();
    await writeFile(join(results, "reports.json"), `${JSON.stringify(found, null, 2)}\n`);
    await writeFile(join(results, "reports.txt"), `${said.join("\n")}\n`);
  }
}

async function speed(databaseUrl: string | undefined): Promise<void> {
  if (!(await hasWrk())) return console.log("Create: not run, it needs the program wrk.");
  const options = { rounds: Number(process.env.ROUNDS || 5), seconds: Number(process.env.SECONDS || 5), databaseUrl };
  const found = await measureSpeed(options, cleanup);
  await keep("create", found, speedText(found));
}

async function overlay(databaseUrl: string | undefined): Promise<void> {
  const connections = Number(process.env.CONNECTIONS || 2_000);
  const donations = Number(process.env.DONATIONS || 300);
  const found = await measureOverlay({ connections, donations, databaseUrl }, cleanup);
  await keep("overlay", found, overlayText(found));
}

async function overload(databaseUrl: string | undefined): Promise<void> {
  if (!(await hasWrk())) return console.log("Overload: not run, it needs the program wrk.");
  const seconds = Number(process.env.OVERLOAD_SECONDS || 60);
  const found = await measureOverload({ seconds, databaseUrl }, cleanup);
  await keep("overload", found, overloadText(found, seconds));
}

async function starting(databaseUrl: string | undefined): Promise<void> {
  const found = await measureStart({ times, databaseUrl }, cleanup);
  await keep("start", found, startText(found));
}

/** Prints what is to be said, and keeps it in bench-results/ with all figures. */
async function keep(name: string, found: object, said: readonly string[]): Promise<void> {
  console.log(["", ...said].join("\n"));
  await writeFile(join(results, `${name}.json`), `${JSON.stringify({ at: new Date().toISOString(), ...found }, null, 2)}\n`);
  await writeFile(join(results, `${name}.txt`), `${said.join("\n")}\n`);
}
