#!/usr/bin/env node
import { testReceiver } from "./receiver/command.ts";
import { expectMatch, list } from "./suite/command/list.ts";
import { mergeReports } from "./suite/command/merge.ts";
import { narrow, removeReports } from "./suite/command/narrow.ts";
import { readSettings } from "./suite/command/options.ts";
import { run } from "./suite/command/run.ts";
import type { Settings } from "./suite/command/settings.ts";
import { writeTable } from "./suite/command/table.ts";
import { usage } from "./suite/command/usage.ts";
import { UsageError } from "./suite/command/usage-error.ts";
import { watch } from "./suite/command/watch.ts";

// The conformance command. Exit codes: 0 passed, 1 failed, 2 not measurable, 3 incomplete with --complete, 64 wrong usage.

const wrongUsageExitCode = 64;

async function main(): Promise<number> {
  const [first, ...rest] = process.argv.slice(2);
  if (first === "table") return printAndSucceed(writeTable(rest));
  if (first === "merge") return mergeReports(rest);
  if (first === "receiver") return testReceiver(rest, process.env);
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings.help) return printAndSucceed(usage);
  if (settings.watch) return watch(process.argv.slice(2), settings.report);
  if (settings.changedSince !== null) return runChanged(settings, settings.changedSince);
  if (settings.list) return printAndSucceed(await list(settings));
  await expectMatch(settings);
  return run(settings);
}

/** Runs, or lists, the rules of what has changed. */
async function runChanged(settings: Settings, ref: string): Promise<number> {
  await expectMatch(settings);
  const { settings: narrowed, text } = await narrow(settings, ref);
  if (settings.list) return printAndSucceed(narrowed ? await list(narrowed) : "");
  process.stdout.write(text);
  if (narrowed) return run(narrowed);
  removeReports(settings);
  return 0;
}

/** Prints the text and waits until all of it is written: process.exit would cut off what a pipe has not taken yet. */
async function printAndSucceed(text: string): Promise<number> {
  await new Promise((written) => process.stdout.write(text, written));
  return 0;
}

function reportUsageError(error: unknown): number {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\nRun with --help for the list of options.\nexit code ${wrongUsageExitCode}: wrong usage\n`);
  return wrongUsageExitCode;
}

process.exit(await main().catch(reportUsageError));
