// The data directory of the embedded PostgreSQL, with its owner and password.

import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { cannotStart } from "./failure.ts";
import { initialise, passwordFileName } from "./initialise.ts";
import type { Owner } from "./runner.ts";

/** One PostgreSQL data directory with its superuser's password. */
export type Cluster = {
  directory: string;
  owner: Owner;
  password: string;
};

/** Reads the cluster of `dataDir`, and creates it first when there is none. Call it under the lock. */
export async function openCluster(dataDir: string, log: Logger): Promise<Cluster> {
  const path = join(dataDir, "postgres");
  if (!(await exists(path))) await initialise(path, log);
  return readCluster(path);
}

/** The URL of a cluster that listens on `port`. */
export function addressOf({ password }: Cluster, port: number): string {
  // sslmode is explicit, so that PGSSLMODE in the environment cannot ask for TLS.
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
}

async function readCluster(path: string): Promise<Cluster> {
  try {
    const directory = await realpath(path);
    const password = await readFile(join(directory, passwordFileName), "utf8");
    const { uid, gid } = await stat(directory);
    return { directory, owner: { uid, gid }, password };
  } catch (cause) {
    throw cannotStart(
      `the data in ${path} cannot be read (${(cause as Error).message})`,
      "start as the user who owns them, or restore the missing files from a backup",
      cause,
    );
  }
}

/** True also for a link whose target is missing: lost data must never be replaced by an empty database. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
