// Runs commands on a database for tests: as an operator does, or in this process.

import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { readConfig } from "../config.ts";
import type { Database } from "../db/database.ts";
import { makeSealer } from "../db/secrets.ts";
import { readCall } from "./run.ts";

export function startCli(database: Database, ...args: string[]): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, ["src/cli.ts", ...args], { env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: database.url } });
}

/** Resolves to what the command prints, read as JSON, or as `error` to what it says on stderr when it prints nothing. */
export async function outputOf({ stdout, stderr }: ChildProcess): Promise<unknown> {
  const [output, error] = await Promise.all([text(stdout as NodeJS.ReadableStream), text(stderr as NodeJS.ReadableStream)]);
  return output === "" ? { error: error.trim() } : JSON.parse(output);
}

/**
 * Runs a command in this process, where nothing is asked of the process itself: to load the command line takes longer than most commands.
 * Resolves as `outputOf` does.
 */
export async function runCommand(database: Database, ...words: string[]): Promise<unknown> {
  const { brand, baseUrl, secretKey, erasureJournal } = readConfig({ DATABASE_URL: database.url });
  const deps = { database, knex: database.knex, brand, baseUrl, sealer: makeSealer(secretKey), erasureJournal };
  try {
    const call = await readCall(words);
    if (typeof call === "string") throw new Error(`not a command: ${words.join(" ")}`);
    return JSON.parse((await call.run(deps)).output ?? "null");
  } catch (error) {
    return { error: (error as Error).message };
  }
}
