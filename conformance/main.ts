#!/usr/bin/env node
import { CommanderError } from "commander";
import { receiverSettingsOf, testReceiver, withReceiverOptions } from "./receiver/command.ts";
import { narrow } from "./suite/command/changed-operations.ts";
import { settingsOf, suiteCommand } from "./suite/command/options.ts";
import { merge, writeTable } from "./suite/command/results.ts";
import { leaveOutUnmatched, list } from "./suite/command/rule-files.ts";
import { exitCodeOf, run } from "./suite/command/run.ts";
import type { Settings } from "./suite/command/settings.ts";
import { toUsageError, UsageError } from "./suite/command/usage-error.ts";
import { watch } from "./suite/command/watch.ts";
import { versions } from "./suite/report/format.ts";
import { prepareFolder } from "./suite/report/write.ts";

// The conformance command. Exit codes: 0 passed, 1 failed, 2 not measurable, 3 incomplete with --complete, 64 wrong usage.

const wrongUsageExitCode = 64;
const program = suiteCommand().enablePositionalOptions().version(versions.suite, "--version", "prints the version of the suite");
let exitCode = 0;

program.action(async () => {
  exitCode = await runSuite(settingsOf(program));
});
program
  .command("table <dir>")
  .description("makes one static page of many results: index.html in DIR, of its result.yaml files and matrix.json of make mutants")
  .action((folder: string) => void process.stdout.write(writeTable(folder)));
program
  .command("merge <dir...>")
  .description("merges the reports of all shards of a run")
  .option("--report <dir>", "folder for the merged reports", "conformance-report")
  .option("--complete", "exit code 3 instead of 0 where the run was incomplete")
  .action((folders: string[], { report, complete }: { report: string; complete?: boolean }) => {
    exitCode = exitCodeOf(merge(folders, report), complete ?? false);
  });
withReceiverOptions(program.command("receiver")).action(async (_url, _options, command) => {
  exitCode = await testReceiver(receiverSettingsOf(command));
});

async function runSuite(settings: Settings): Promise<number> {
  if (settings.watch) return watch(process.argv.slice(2), settings.report);
  if (settings.changedSince !== null) return runChanged(settings, settings.changedSince);
  if (settings.list) return print(await list(settings));
  return run(await leaveOutUnmatched(settings));
}

/** Runs, or lists, the rules of what has changed. */
async function runChanged(settings: Settings, ref: string): Promise<number> {
  const { settings: narrowed, text } = await narrow(await leaveOutUnmatched(settings), ref);
  if (settings.list) return print(narrowed ? await list(narrowed) : "");
  print(text);
  if (narrowed) return run(narrowed);
  prepareFolder(settings.report); // nobody shall take the reports of an earlier run for those of one that ran nothing
  return 0;
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

function reportError(error: unknown): void {
  if (toUsageError(error) instanceof UsageError) {
    const { message } = toUsageError(error) as UsageError;
    process.stderr.write(`${message}\nRun with --help for the list of options.\nexit code ${wrongUsageExitCode}: wrong usage\n`);
    exitCode = wrongUsageExitCode;
  } else if (!hasPrinted(error)) throw error;
}

/** commander throws when it has printed the help or the version. */
const hasPrinted = (error: unknown): boolean => error instanceof CommanderError && error.exitCode === 0;

// A reader such as head may close the pipe early. A run goes on: it has to put back what it changed.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
await program.parseAsync().catch(reportError);
// process.exit would cut off what a pipe has not taken yet.
await new Promise((written) => process.stdout.write("", written));
process.exit(exitCode);
