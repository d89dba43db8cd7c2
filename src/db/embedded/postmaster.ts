// The server process of a data directory: finds it, stops it.

import { execFile } from "node:child_process";
import { readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { cannotStart } from "./failure.ts";

export type Postmaster = {
  pid: number;
  port: number;
};

const stopTimeoutMs = 60_000;
const portLine = 3;

/** Finds the running server of a data directory. Undefined when there is none, also when a killed server left its `postmaster.pid`. */
export async function findPostmaster(directory: string): Promise<Postmaster | undefined> {
  const lines = await readPidFile(directory);
  const pid = Number(lines?.[0]);
  const port = Number(lines?.[portLine]);
  return pid > 0 && port > 0 && (await isPostgresOf(pid, directory)) ? { pid, port } : undefined;
}

/**
 * Replaces the process id in a `postmaster.pid` that a killed server left: PostgreSQL would take another process that now has this id for
 * a running server. Call it only when `findPostmaster` found nothing.
 */
export async function replaceStalePid(directory: string): Promise<void> {
  const lines = await readPidFile(directory);
  if (!lines) return;
  // PostgreSQL ignores the id of its own parent, and still checks the rest of the file for surviving backends.
  const content = [String(process.pid), ...lines.slice(1)].join("\n");
  await writeFile(join(directory, "postmaster.pid"), content);
}

/** Stops the server with a fast shutdown: open transactions are rolled back and a checkpoint is written. Resolves when it has ended. */
export async function stopPostmaster(directory: string, pid: number): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  process.kill(pid, "SIGINT");
  while ((await findPostmaster(directory))?.pid === pid) {
    if (Date.now() > deadline) throw cannotStart(`process ${pid} does not stop`, "look into DATA_DIR/postgres.log");
    await sleep(20);
  }
}

async function readPidFile(directory: string): Promise<string[] | undefined> {
  try {
    return (await readFile(join(directory, "postmaster.pid"), "utf8")).split("\n");
  } catch {
    return undefined;
  }
}

async function isPostgresOf(pid: number, directory: string): Promise<boolean> {
  try {
    if (process.platform !== "linux") return (await commandOf(pid)).includes(directory);
    const [command] = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    return command!.endsWith("/postgres") && (await readlink(`/proc/${pid}/cwd`)) === directory;
  } catch {
    return false;
  }
}

async function commandOf(pid: number): Promise<string> {
  return (await promisify(execFile)("ps", ["-p", String(pid), "-ww", "-o", "command="])).stdout;
}
