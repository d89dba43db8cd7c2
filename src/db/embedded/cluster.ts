import { lstat, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { cannotStart } from "./failure.ts";
import { initialise, PASSWORD_FILE } from "./initialise.ts";
import type { Owner } from "./runner.ts";

/** One PostgreSQL data directory with its superuser's password. */
export interface Cluster {
  directory: string;
  owner: Owner;
  password: string;
}

/** Reads the cluster of `dataDir`, making it first where there is none. To be called under the lock. */
export async function openCluster(dataDir: string, log: Logger): Promise<Cluster> {
  const place = join(dataDir, "postgres");
  if (!(await exists(place))) await initialise(place, log);
  return readCluster(place);
}

/** The URL of a cluster that listens on `port`. */
export function addressOf({ password }: Cluster, port: number): string {
  // Said outright, lest a PGSSLMODE of the environment ask for TLS.
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
}

async function readCluster(place: string): Promise<Cluster> {
  try {
    const directory = await realpath(place);
    const password = await readFile(join(directory, PASSWORD_FILE), "utf8");
    const { uid, gid } = await stat(directory);
    return { directory, owner: { uid, gid }, password };
  } catch (cause) {
    throw cannotStart(
      `the data in ${place} cannot be read (${(cause as Error).message})`,
      "start as the user who made them, or bring the missing files back from a backup",
      cause,
    );
  }
}

// A link whose target is gone exists too: data that went missing must never be replaced by an empty database.
async function exists(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  );
}
