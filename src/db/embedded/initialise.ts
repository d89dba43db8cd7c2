import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, open, readdir, rename, rm, statfs, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Logger } from "pino";
import { prepareBinaries } from "./binaries.ts";
import { cannotStart } from "./failure.ts";
import { chooseRunner, type Owner, othersReach, type Runner } from "./runner.ts";

interface Workshop {
  native: string;
  runner: Runner;
  /** A folder of the runner's own, thrown away afterwards. */
  partial: string;
}

export const PASSWORD_FILE = "donations.password";

const PARTIAL = "postgres.partial-";
const BYTES_NEEDED = 200 * 1024 * 1024;
// Bytewise order with Unicode character classes; systems without C.UTF-8 (macOS, some old Linux) compose the same.
const LOCALES = [["--locale=C.UTF-8"], ["--locale=C", "--lc-ctype=en_US.UTF-8"]];

/**
 * Makes a data directory and, as the very last step, gives it the name `place`: half a directory never bears it.
 * Where its user could not reach `place`, the data lie below /var/lib and `place` is a link.
 */
export async function initialise(place: string, log: Logger): Promise<void> {
  log.info({ place }, "making the embedded PostgreSQL's data directory");
  const dataDir = dirname(place);
  await requireSpace(dataDir);
  await clearLeftovers(dataDir);
  const runner = chooseRunner(undefined);
  const home = await chooseHome(dataDir, runner.owner);
  const native = await prepareBinaries(home, runner.owner);
  const partial = await mkdtemp(join(home, PARTIAL));
  if (runner.owner) await chown(partial, runner.owner.uid, runner.owner.gid);
  await makeData({ native, runner, partial });
  await rename(join(partial, "data"), join(home, "postgres"));
  await rm(partial, { recursive: true, force: true });
  if (home !== dataDir) await symlink(join(home, "postgres"), place);
  await persist(home);
  await persist(dataDir);
}

async function requireSpace(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= BYTES_NEEDED) return;
  throw cannotStart(
    `the disk of ${dataDir} has ${Math.floor((bavail * bsize) / 1024 / 1024)} MB left, and 200 MB are needed`,
    "make room, or choose a DATA_DIR on another disk",
  );
}

// An initdb that outlived its killed starter may still write there: what cannot be removed now can be next time.
async function clearLeftovers(dataDir: string): Promise<void> {
  const leftovers = (await readdir(dataDir)).filter((name) => name.startsWith(PARTIAL));
  await Promise.all(leftovers.map((name) => rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {})));
}

async function chooseHome(dataDir: string, owner: Owner | undefined): Promise<string> {
  if (!owner || (await othersReach(dataDir))) return dataDir;
  const home = await mkdtemp("/var/lib/donations-postgres-");
  await chown(home, owner.uid, owner.gid);
  return home;
}

async function makeData({ native, runner, partial }: Workshop): Promise<void> {
  const password = randomBytes(24).toString("base64url");
  const passwordFile = join(partial, "password");
  await writeSecret(passwordFile, { password, owner: runner.owner });
  let complaint = "";
  for (const locale of LOCALES) {
    const data = join(partial, "data");
    const options = ["-D", data, "-U", "postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "--encoding=UTF8"];
    complaint = await run(runner, [join(native, "bin", "initdb"), ...options, ...locale]);
    if (!complaint) return writeSecret(join(data, PASSWORD_FILE), { password, owner: runner.owner });
    if (!/locale/.test(complaint)) break;
  }
  throw cannotStart(`initdb failed: ${complaint}`, "mend what it names");
}

async function writeSecret(file: string, { password, owner }: { password: string; owner: Owner | undefined }): Promise<void> {
  await writeFile(file, password, { mode: 0o600, flush: true });
  if (owner) await chown(file, owner.uid, owner.gid);
}

/** Runs a command to its end; returns what it complained of, "" when it succeeded. */
async function run({ prefix, owner }: Runner, words: string[]): Promise<string> {
  const [command, ...args] = [...prefix, ...words];
  const child = spawn(command!, args, { ...owner, cwd: "/", env: programEnvironment(), stdio: ["ignore", "ignore", "pipe"] });
  const [complaint, [code, signal]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return code === 0 ? "" : complaint.trim() || `it ended with ${signal ?? `status ${code}`}`;
}

/** Nothing of ours but the path: PGDATA, PGPORT or a locale of the caller's would change what the programs do. */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}

async function persist(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
