// The embedded PostgreSQL server of a data directory, shared by all processes of the machine that open it.

import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { addressOf, type Cluster, openCluster } from "./embedded/cluster.ts";
import { cannotStart } from "./embedded/failure.ts";
import { launch } from "./embedded/launch.ts";
import { findPostmaster, stopPostmaster } from "./embedded/postmaster.ts";
import { countOtherClients, isServerOf, keepPresence } from "./embedded/session.ts";

export type Embedded = {
  /** Holds the password: never log it. */
  url: string;
  /** Disconnects, and stops the server when no other client is connected. Further calls do nothing. */
  release(): Promise<void>;
};

type OpenedCluster = {
  cluster: Cluster;
  directory: string;
  url: string;
  log: Logger;
  /** Aborted when this process releases the database. */
  released: AbortSignal;
};

const answerTimeoutMs = 120_000;
const failedState = "it died and cannot be started again so far";

/**
 * Opens the PostgreSQL server of `dataDir`: attaches to it when it runs, otherwise starts it, and creates its data directory first when
 * there is none. Any number of processes of one machine may share the server; it stops when the last one releases it. When it dies
 * before that, it is started again, at the same URL unless another program has taken the port.
 * Throws an Error that tells an operator what to do.
 */
export async function openEmbedded({ dataDir, log }: { dataDir: string; log: Logger }): Promise<Embedded> {
  const directory = await createDataDir(dataDir);
  return withLock(directory, async () => {
    const cluster = await openCluster(directory, log);
    const url = await attachOrLaunch(cluster, directory, log);
    const released = new AbortController();
    const presence = await keepPresence(url, makeRestarter({ cluster, directory, url, log, released: released.signal }));
    const release = async () => {
      released.abort();
      // Outside the lock, because a restart that is under way may be waiting for it.
      await presence.end();
      await withLock(directory, () => stopIfUnused(cluster, log));
    };
    return { url, release };
  });
}

async function createDataDir(dataDir: string): Promise<string> {
  try {
    // Other users may pass through but not list it, because a PostgreSQL that runs as another user has to reach its own folder.
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    return await realpath(dataDir);
  } catch (cause) {
    throw cannotStart(`DATA_DIR ${dataDir} cannot be created (${(cause as Error).message})`, "choose a writable DATA_DIR", cause);
  }
}

async function attachOrLaunch(cluster: Cluster, directory: string, log: Logger): Promise<string> {
  return (await attach(cluster, log)) ?? (await launch(cluster, directory, log));
}

/** Returns a function that finds the current URL of the server, and starts the server first when it has died. It logs changes only. */
function makeRestarter({ cluster, directory, url, log, released }: OpenedCluster): () => Promise<string> {
  let reported = "it runs";
  const report = (level: "info" | "warn" | "error", state: string, details: object = {}) => {
    if (state !== reported) log[level](details, `the embedded PostgreSQL: ${state}`);
    reported = state;
  };
  const restart = async () => {
    released.throwIfAborted();
    if (reported !== failedState && !(await findPostmaster(cluster.directory))) report("warn", "it died, and is being started again");
    return attachOrLaunch(cluster, directory, log);
  };
  return async () => {
    try {
      const postmaster = await findPostmaster(cluster.directory);
      const current = postmaster ? addressOf(cluster, postmaster.port) : await withLock(directory, restart);
      if (current === url) report("info", "it runs");
      else report("error", `it had to move to port ${new URL(current).port}. Restart this server, which cannot reach it there`);
      return current;
    } catch (error) {
      if (!released.aborted) report("error", failedState, { err: error });
      throw error;
    }
  };
}

/** A server that a killed process left running is used like any other. Returns undefined when none runs. */
async function attach(cluster: Cluster, log: Logger): Promise<string | undefined> {
  const deadline = Date.now() + answerTimeoutMs;
  let postmaster = await findPostmaster(cluster.directory);
  while (postmaster && Date.now() < deadline) {
    const url = addressOf(cluster, postmaster.port);
    if (await isServerOf(url, cluster.directory)) {
      log.info({ postmaster }, "attached to the running embedded PostgreSQL");
      return url;
    }
    await sleep(100);
    postmaster = await findPostmaster(cluster.directory);
  }
  if (!postmaster) return undefined;
  throw cannotStart(`it runs as process ${postmaster.pid} but does not answer on port ${postmaster.port}`, "end that process");
}

async function stopIfUnused(cluster: Cluster, log: Logger): Promise<void> {
  const postmaster = await findPostmaster(cluster.directory);
  const others = postmaster && (await countOtherClients(addressOf(cluster, postmaster.port)));
  if (!postmaster || others === undefined) return;
  if (others > 0) return log.info({ others }, "the embedded PostgreSQL keeps running for its other clients");
  await stopPostmaster(cluster.directory, postmaster.pid);
  log.info({ postmaster }, "stopped the embedded PostgreSQL");
}

// A lock between processes on the embedded PostgreSQL of a data directory.

const lockTimeoutMs = 180_000;
const sqliteBusy = 5;

/**
 * Runs `work` while no other process, and no other call in this one, is inside `withLock` of the same directory.
 * Throws an Error for the operator when it has waited for three minutes.
 */
async function withLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
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
