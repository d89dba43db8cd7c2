import { execFile } from "node:child_process";
import { readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cannotStart } from "./failure.ts";

export interface Postmaster {
  pid: number;
  port: number;
}

const STOP_PATIENCE_MS = 60_000;
const PORT_LINE = 3;

/** The running server of a data directory, or undefined: a `postmaster.pid` that a killed one left counts for nothing. */
export async function findPostmaster(directory: string): Promise<Postmaster | undefined> {
  const lines = await readPidFile(directory);
  const pid = Number(lines?.[0]);
  const port = Number(lines?.[PORT_LINE]);
  return pid > 0 && port > 0 && (await serves(pid, directory)) ? { pid, port } : undefined;
}

/**
 * Makes a left-behind `postmaster.pid` harmless when its process id now belongs to somebody else, which PostgreSQL
 * would take for a running server. Only to be called when `findPostmaster` found nothing.
 */
export async function disarmPidFile(directory: string): Promise<void> {
  const lines = await readPidFile(directory);
  if (!lines) return;
  // PostgreSQL disregards its parent's id, and still checks the rest of the file for surviving backends.
  const disarmed = [String(process.pid), ...lines.slice(1)].join("\n");
  await writeFile(join(directory, "postmaster.pid"), disarmed);
}

/** Fast shutdown: rolls back what is open, writes a checkpoint. Resolves when the server is gone. */
export async function stop(directory: string, pid: number): Promise<void> {
  const deadline = Date.now() + STOP_PATIENCE_MS;
  process.kill(pid, "SIGINT");
  while ((await findPostmaster(directory))?.pid === pid) {
    if (Date.now() > deadline) throw cannotStart(`process ${pid} does not stop`, "look into DATA_DIR/postgres.log");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function readPidFile(directory: string): Promise<string[] | undefined> {
  try {
    return (await readFile(join(directory, "postmaster.pid"), "utf8")).split("\n");
  } catch {
    return undefined;
  }
}

async function serves(pid: number, directory: string): Promise<boolean> {
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
