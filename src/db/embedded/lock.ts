// A lock between processes on the embedded PostgreSQL of a data directory.

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { cannotStart } from "./failure.ts";

const lockTimeoutMs = 180_000;
const sqliteBusy = 5;

/**
 * Runs `work` while no other process, and no other call in this one, is inside `withLock` of the same directory.
 * Throws an Error for the operator when it has waited for three minutes.
 */
export async function withLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(join(directory, "postgres.lock"));
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/**
 * SQLite is used only for its file lock: Node has no other lock that the system releases when a process is killed, and telling a stale lock
 * file from a live one has races.
 */
async function acquire(file: string): Promise<DatabaseSync> {
  const deadline = Date.now() + lockTimeoutMs;
  for (;;) {
    const lock = tryAcquire(file);
    if (lock) return lock;
    if (Date.now() > deadline) throw cannotStart(`another process has locked ${file} for minutes`, "end that process (`fuser` names it)");
    await sleep(50);
  }
}

function tryAcquire(file: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec("pragma journal_mode = memory; begin exclusive");
    return lock;
  } catch (cause) {
    lock?.close();
    if ((cause as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw cannotStart(`${file} cannot be written (${(cause as Error).message})`, "make DATA_DIR writable for this user", cause);
  }
}
