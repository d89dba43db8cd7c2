import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { cannotStart } from "./failure.ts";

const PATIENCE_MS = 180_000;
const SQLITE_BUSY = 5;

/**
 * Runs `work` while no other process (and no other call in this one) is inside `withLock` of the same directory.
 * Waits up to three minutes.
 */
export async function withLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(join(directory, "postgres.lock"));
  try {
    return await work();
  } finally {
    lock.close();
  }
}

// SQLite is here for its file lock alone: Node has no other that the system itself takes from a killed process,
// and telling a stale lock file from a live one by hand has races.
async function acquire(file: string): Promise<DatabaseSync> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const lock = tryAcquire(file);
    if (lock) return lock;
    if (Date.now() > deadline)
      throw cannotStart(`another process has been holding ${file} for minutes`, "end that process (`fuser` names it)");
    await new Promise((resolve) => setTimeout(resolve, 50));
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
    if ((cause as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw cannotStart(`${file} cannot be written (${(cause as Error).message})`, "make DATA_DIR writable for this user", cause);
  }
}
