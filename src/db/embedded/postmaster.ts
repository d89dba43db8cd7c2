// The server process of a data directory: finds it, stops it.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { cannotStart } from "./failure.ts";

type Postmaster = {
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
  return pid > 0 && port > 0 && (await isPostgresOf({ pid, port }, directory)) ? { pid, port } : undefined;
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

/**
 * The working directory of the process would tell as much, but a process in another user namespace may not read it: a command beside a service
 * of systemd with PrivateUsers. With ProtectProc the service sees nothing of the command's; then whatever listens on the port counts.
 */
async function isPostgresOf({ pid, port }: Postmaster, directory: string): Promise<boolean> {
  try {
    if (process.platform !== "linux") return (await commandOf(pid)).includes(directory);
    const [command, ...words] = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0");
    return command!.endsWith("/postgres") && words.includes(directory);
  } catch {
    return exists(pid) && (await isListening(port));
  }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", timeout: 2_000 });
    const answer = (listens: boolean) => {
      resolve(listens);
      socket.destroy();
    };
    socket
      .on("connect", () => answer(true))
      .on("error", () => answer(false))
      .on("timeout", () => answer(false));
  });
}

async function commandOf(pid: number): Promise<string> {
  return (await promisify(execFile)("ps", ["-p", String(pid), "-ww", "-o", "command="])).stdout;
}
