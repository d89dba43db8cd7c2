#!/usr/bin/env node
import { list } from "./command/list.ts";
import { readSettings, UsageError, usage } from "./command/options.ts";
import { run } from "./command/run.ts";

// Arguments → settings → a run → an exit code: 0 passed, 1 failed, 2 not measurable, 64 wrong usage.

const wrongUsage = 64;

async function main(): Promise<number> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings.help) return printed(usage);
  return settings.list ? printed(await list(settings)) : await run(settings);
}

/** Waits until the text is written: a pipe takes a part at a time, and the exit would cut the rest off. */
async function printed(text: string): Promise<number> {
  await new Promise((written) => process.stdout.write(text, written));
  return 0;
}

function explained(error: unknown): number {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n--help tells the options\n`);
  return wrongUsage;
}

process.exit(await main().catch(explained));
