// Runs the command line as an operator does, on a database for tests.

import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Database } from "../db/database.ts";

export function startCli(database: Database, ...args: string[]): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, ["src/cli.ts", ...args], { env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: database.url } });
}

/** Resolves to what the command prints, read as JSON, or as `error` to what it says on stderr when it prints nothing. */
export async function outputOf({ stdout, stderr }: ChildProcess): Promise<unknown> {
  const [output, error] = await Promise.all([text(stdout as NodeJS.ReadableStream), text(stderr as NodeJS.ReadableStream)]);
  return output === "" ? { error: error.trim() } : JSON.parse(output);
}
