import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, readFile, rename, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import type { Logger } from "pino";
import { prepareBinaries } from "./binaries.ts";
import { addressOf, type Cluster } from "./cluster.ts";
import { cannotStart } from "./failure.ts";
import { programEnvironment } from "./initialise.ts";
import { disarmPidFile } from "./postmaster.ts";
import { chooseRunner, type Owner, type Runner } from "./runner.ts";
import { answers } from "./session.ts";

interface Start {
  cluster: Cluster;
  native: string;
  runner: Runner;
  logFile: string;
  port: number;
}

const ATTEMPTS = 4;
const PATIENCE_MS = 120_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
// Somebody took the port meanwhile, or the backends of a killed server have not noticed yet.
const PASSING = /address already in use|shared memory block/i;

/** Starts the server of a cluster that does not run. Returns its URL when it answers. To be called under the lock. */
export async function launch(cluster: Cluster, dataDir: string, log: Logger): Promise<string> {
  const runner = chooseRunner(cluster.owner);
  const native = await prepareBinaries(dirname(cluster.directory), runner.owner);
  const logFile = await prepareLog(dataDir);
  let complaint = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await disarmPidFile(cluster.directory);
    const port = await choosePort(cluster);
    complaint = await start({ cluster, native, runner, logFile, port });
    if (!complaint) {
      log.info({ port, log: logFile }, "started the embedded PostgreSQL");
      return addressOf(cluster, port);
    }
    if (!PASSING.test(complaint)) break;
    await pause(500 * attempt);
  }
  throw cannotStart(`it does not start. The end of ${logFile}:\n${complaint}\n`, "mend what the log names");
}

/** Returns what went wrong, "" when the server answers. */
async function start({ cluster, native, runner, logFile, port }: Start): Promise<string> {
  const logged = await sizeOf(logFile);
  const log = await openLog(logFile, runner.owner);
  const [command, ...args] = [...runner.prefix, join(native, "bin", "postgres"), ...serverOptions(cluster, port)];
  // A session of its own: Ctrl-C or a signal to our group must not take the database from a server that still drains.
  const child = spawn(command!, args, {
    ...runner.owner,
    cwd: "/",
    detached: true,
    env: programEnvironment(),
    stdio: ["ignore", log.fd, log.fd],
  });
  child.on("error", () => {});
  child.unref();
  await log.close();
  const failure = await untilReady(child, () => answers(addressOf(cluster, port), cluster.directory));
  return failure && `${await tail(logFile, logged)}\n(${failure})`;
}

/** At least PostgreSQL's own default, at most what a small machine's other programs can spare. */
function sharedBuffersMb(memoryBytes: number): number {
  return Math.min(1_024, Math.max(128, Math.floor(memoryBytes / 4 / 2 ** 20)));
}

function serverOptions({ directory }: Cluster, port: number): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Enough for a dozen workers: an unused one costs next to nothing.
    max_connections: "400",
    // The manual's quarter of the memory, within bounds: the default of 128 MB leaves a long history to the system's cache, and
    // pages with scattered rows then took twice as long.
    shared_buffers: `${sharedBuffersMb(totalmem())}MB`,
    fsync: "on",
    synchronous_commit: "on",
    timezone: "UTC",
    log_timezone: "UTC",
    // Messages of failed statements can quote donors' words: only those of the server itself are logged.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
  };
  return ["-D", directory, "-p", String(port), ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

async function untilReady(child: ChildProcess, ready: () => Promise<boolean>): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  while (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    if (await ready()) return "";
    if (Date.now() > deadline) return `process ${child.pid} did not answer within two minutes`;
    await pause(50);
  }
  return `it ended with ${child.signalCode ?? `status ${child.exitCode}`}`;
}

/** The port of the last run if that can be had, for a URL that somebody still uses; else any. */
async function choosePort({ directory }: Cluster): Promise<number> {
  const options = await readFile(join(directory, "postmaster.opts"), "utf8").catch(() => "");
  const last = Number(/"-p" "(\d+)"/.exec(options)?.[1]);
  // A client that looks for the dead server may hold the port for a moment, as the local end of its own connection.
  for (let attempt = 1; last && attempt <= ATTEMPTS; attempt++) {
    if (await probePort(last).catch(() => undefined)) return last;
    await pause(250);
  }
  return probePort(0);
}

/** Returns the port if it is free, which stands for any free one when it is 0. */
async function probePort(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function prepareLog(dataDir: string): Promise<string> {
  const file = join(dataDir, "postgres.log");
  if ((await sizeOf(file)) > LOG_LIMIT_BYTES) await rename(file, `${file}.1`);
  return file;
}

// Root may start what an ordinary user made, and that user wants to go on with it afterwards.
async function openLog(file: string, owner: Owner | undefined): Promise<FileHandle> {
  const log = await open(file, "a", 0o600);
  if (owner) await log.chown(owner.uid, owner.gid);
  return log;
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

async function tail(file: string, from: number): Promise<string> {
  const lines = (await readFile(file)).subarray(from).toString("utf8").trim().split("\n");
  return lines.slice(-8).join("\n");
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
