// Starts the database server that all test files share, and removes what they leave behind.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type Embedded, openEmbedded } from "./embedded.ts";
import { abandonServer, createCluster, query, removeDataDir, silent, temporaryDirectory, until } from "./testing.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Data directory of the embedded server that all test files of a run share. */
    dataDir: string | undefined;
  }
}

/**
 * Vitest's global set-up: one embedded server for all test files, each of which creates its own databases on it. A server for each file
 * took two to six seconds to create, start and stop. Files that need no database do not wait for its start; the others wait for its lock.
 * All temporary files of a run are in one folder, which is deleted at its end.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryDirectory();
  process.env.TMPDIR = folder; // for the workers and all that they start
  const dataDir = await temporaryDirectory();
  const start = () => openEmbedded({ dataDir, log: silent });
  const starting = createCluster(dataDir).then(start).then(leaveUnvacuumed);
  let hasFailed = false;
  starting.catch(() => void (hasFailed = true)); // the first file that opens the server reports it
  // This process opens it before the workers, which leave it running for that reason.
  await until(async () => hasFailed || existsSync(join(dataDir, "postgres.lock")));
  provide("dataDir", dataDir);
  const abandon = () => abandonNow(dataDir, folder);
  process.once("exit", abandon); // after Ctrl-C vitest ends without what this returns
  return async () => {
    const end = async ({ release }: Embedded) => {
      await abandonServer(dataDir); // first, because the last release would stop it with a checkpoint
      await release();
    };
    await starting.then(end).finally(() => removeDataDir(dataDir));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    process.off("exit", abandon); // it is needed where this takes longer than vitest waits
  };
}

/** Autovacuum would look into hundreds of databases, one after the other, which live for seconds: a tenth of the CPU of all tests. */
async function leaveUnvacuumed(embedded: Embedded): Promise<Embedded> {
  await query(embedded.url, "alter system set autovacuum_naptime = '1d'");
  await query(embedded.url, "select pg_reload_conf()");
  return embedded;
}

/** Ends the server and deletes the folder, as a process that exits has to: without promises. What still runs may write there until it has ended. */
function abandonNow(dataDir: string, folder: string): void {
  try {
    const [pid] = readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8").split("\n", 1);
    process.kill(Number(pid), "SIGQUIT");
  } catch {
    // No server runs.
  }
  const deadline = Date.now() + 10_000;
  while (existsSync(folder) && Date.now() < deadline) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}
