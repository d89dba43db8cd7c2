import { mkdir, realpath } from "node:fs/promises";
import type { Logger } from "pino";
import { addressOf, type Cluster, openCluster } from "./embedded/cluster.ts";
import { cannotStart } from "./embedded/failure.ts";
import { launch } from "./embedded/launch.ts";
import { withLock } from "./embedded/lock.ts";
import { findPostmaster, stop } from "./embedded/postmaster.ts";
import { answers, appear, countOthers } from "./embedded/session.ts";

export interface Embedded {
  /** Holds the password: never log it. */
  url: string;
  /** Leaves the database, and stops it when nobody else is connected. To repeat it is harmless. */
  release(): Promise<void>;
}

interface Held {
  cluster: Cluster;
  directory: string;
  url: string;
  log: Logger;
  released: AbortSignal;
}

const PATIENCE_MS = 120_000;
const FAILED = "it died and cannot be started again so far";

/**
 * The PostgreSQL of `dataDir`: joined if it runs, started if not, made first if it never was. Any number of processes
 * of one machine may share it; it outlives each of them and stops when the last one releases it. Should it die before,
 * it is started again, at the same URL unless somebody else took the port.
 * Throws an Error fit for an operator to read.
 */
export async function openEmbedded({ dataDir, log }: { dataDir: string; log: Logger }): Promise<Embedded> {
  const directory = await prepare(dataDir);
  return withLock(directory, async () => {
    const cluster = await openCluster(directory, log);
    const url = await joinOrLaunch(cluster, directory, log);
    const released = new AbortController();
    const presence = await appear(url, reviver({ cluster, directory, url, log, released: released.signal }));
    const release = async () => {
      released.abort();
      // Not under the lock: a revival that is under way may be waiting for it.
      await presence.leave();
      await withLock(directory, () => stopIfUnused(cluster, log));
    };
    return { url, release };
  });
}

async function prepare(dataDir: string): Promise<string> {
  try {
    // Others may pass through but not look in: a PostgreSQL under another user has to reach its own folder.
    await mkdir(dataDir, { recursive: true, mode: 0o711 });
    return await realpath(dataDir);
  } catch (cause) {
    throw cannotStart(`DATA_DIR ${dataDir} cannot be made (${(cause as Error).message})`, "choose a writable DATA_DIR", cause);
  }
}

async function joinOrLaunch(cluster: Cluster, directory: string, log: Logger): Promise<string> {
  return (await join(cluster, log)) ?? (await launch(cluster, directory, log));
}

/** What finds the server's present URL, having started the server again when it had died. It logs changes only. */
function reviver({ cluster, directory, url, log, released }: Held): () => Promise<string> {
  let known = "it runs";
  const report = (level: "info" | "warn" | "error", state: string, details: object = {}) => {
    if (state !== known) log[level](details, `the embedded PostgreSQL: ${state}`);
    known = state;
  };
  const revive = async () => {
    released.throwIfAborted();
    if (known !== FAILED && !(await findPostmaster(cluster.directory))) report("warn", "it died, and is being started again");
    return joinOrLaunch(cluster, directory, log);
  };
  return async () => {
    try {
      const postmaster = await findPostmaster(cluster.directory);
      const current = postmaster ? addressOf(cluster, postmaster.port) : await withLock(directory, revive);
      if (current === url) report("info", "it runs");
      else report("error", `it had to move to port ${new URL(current).port}. Restart this server, which cannot reach it there`);
      return current;
    } catch (error) {
      if (!released.aborted) report("error", FAILED, { err: error });
      throw error;
    }
  };
}

// A server that was left behind by a killed process is as good as any other.
async function join(cluster: Cluster, log: Logger): Promise<string | undefined> {
  const deadline = Date.now() + PATIENCE_MS;
  let postmaster = await findPostmaster(cluster.directory);
  while (postmaster && Date.now() < deadline) {
    const url = addressOf(cluster, postmaster.port);
    if (await answers(url, cluster.directory)) {
      log.info({ postmaster }, "joined the embedded PostgreSQL");
      return url;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    postmaster = await findPostmaster(cluster.directory);
  }
  if (!postmaster) return undefined;
  throw cannotStart(`it runs as process ${postmaster.pid} but does not answer on port ${postmaster.port}`, "end that process");
}

async function stopIfUnused(cluster: Cluster, log: Logger): Promise<void> {
  const postmaster = await findPostmaster(cluster.directory);
  const others = postmaster && (await countOthers(addressOf(cluster, postmaster.port)));
  if (!postmaster || others === undefined) return;
  if (others > 0) return log.info({ others }, "the embedded PostgreSQL stays up for its other clients");
  await stop(cluster.directory, postmaster.pid);
  log.info({ postmaster }, "stopped the embedded PostgreSQL");
}
