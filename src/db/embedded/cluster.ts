// The data directory of the embedded PostgreSQL, with its owner and password.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, lstat, mkdtemp, open, readdir, readFile, realpath, rename, rm, stat, statfs, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Logger } from "pino";
import { prepareBinaries } from "./binaries.ts";
import { cannotStart } from "./failure.ts";
import { canOthersReach, chooseRunner, type Owner, type Runner } from "./runner.ts";

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

// Creates the data directory of the embedded PostgreSQL with initdb.

/** `partial`: a temporary folder that the runner owns. */
type NewCluster = { native: string; runner: Runner; partial: string };

const passwordFileName = "donations.password";

const partialPrefix = "postgres.partial-";
const neededBytes = 200 * 1024 * 1024;
/** Bytewise order with Unicode character classes. The second choice is for systems without C.UTF-8 (macOS, some old Linux). */
const localeOptions = [["--locale=C.UTF-8"], ["--locale=C", "--lc-ctype=en_US.UTF-8"]];

/**
 * Creates a data directory at `path`. It is renamed to that as the last step, so that an incomplete directory never has the name.
 * When its user could not reach `path`, the data are below /var/lib and `path` is a link.
 */
async function initialise(path: string, log: Logger): Promise<void> {
  log.info({ path }, "creating the data directory of the embedded PostgreSQL");
  const dataDir = dirname(path);
  await requireDiskSpace(dataDir);
  await removeLeftovers(dataDir);
  const runner = chooseRunner(undefined);
  const parent = await chooseParent(dataDir, runner.owner);
  const native = await prepareBinaries(parent, runner.owner);
  const partial = await mkdtemp(join(parent, partialPrefix));
  if (runner.owner) await chown(partial, runner.owner.uid, runner.owner.gid);
  await runInitdb({ native, runner, partial });
  await rename(join(partial, "data"), join(parent, "postgres"));
  await rm(partial, { recursive: true, force: true });
  if (parent !== dataDir) await symlink(join(parent, "postgres"), path);
  await syncDirectory(parent);
  await syncDirectory(dataDir);
}

async function requireDiskSpace(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= neededBytes) return;
  throw cannotStart(
    `the disk of ${dataDir} has ${Math.floor((bavail * bsize) / 1024 / 1024)} MB left, and 200 MB are needed`,
    "free some space, or choose a DATA_DIR on another disk",
  );
}

/**
 * Removes what interrupted calls left. An initdb whose parent was killed may still write there: what cannot be removed now is removed
 * by the next call.
 */
async function removeLeftovers(dataDir: string): Promise<void> {
  const leftovers = (await readdir(dataDir)).filter((name) => name.startsWith(partialPrefix));
  await Promise.all(leftovers.map((name) => rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {})));
}

/** The folder in which `owner` can reach the data: `dataDir`, or a new one below /var/lib. */
async function chooseParent(dataDir: string, owner: Owner | undefined): Promise<string> {
  if (!owner || (await canOthersReach(dataDir))) return dataDir;
  const parent = await mkdtemp("/var/lib/donations-postgres-");
  await chown(parent, owner.uid, owner.gid);
  return parent;
}

async function runInitdb({ native, runner, partial }: NewCluster): Promise<void> {
  const password = randomBytes(24).toString("base64url");
  const passwordFile = join(partial, "password");
  await writeSecret(passwordFile, { password, owner: runner.owner });
  let message = "";
  for (const locale of localeOptions) {
    const data = join(partial, "data");
    const options = ["-D", data, "-U", "postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--encoding=UTF8"];
    message = await run(runner, [join(native, "bin", "initdb"), ...options, ...locale]);
    if (!message) return writeSecret(join(data, passwordFileName), { password, owner: runner.owner });
    if (!/locale/.test(message)) break;
  }
  throw cannotStart(`initdb failed: ${message}`, "repair what this message names");
}

async function writeSecret(file: string, { password, owner }: { password: string; owner: Owner | undefined }): Promise<void> {
  await writeFile(file, password, { mode: 0o600, flush: true });
  if (owner) await chown(file, owner.uid, owner.gid);
}

/** Runs a command. Returns what it wrote to stderr when it failed, or "" when it succeeded. */
async function run({ prefix, owner }: Runner, commandLine: string[]): Promise<string> {
  const [command, ...args] = [...prefix, ...commandLine];
  const child = spawn(command!, args, { ...owner, cwd: "/", env: programEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
  const [message, [code, signal]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return code === 0 ? "" : message.trim() || `it ended with ${signal ?? `status ${code}`}`;
}

/** Only PATH of our own environment: PGDATA, PGPORT or a locale would change what the programs do. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}

/** Makes a rename in this directory durable. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
