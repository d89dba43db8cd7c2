// Starts the embedded PostgreSQL server and waits until it answers.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, open, readFile, rename, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { prepareBinaries } from "./binaries.ts";
import { addressOf, type Cluster, programEnvironment } from "./cluster.ts";
import { cannotStart } from "./failure.ts";
import { replaceStalePid } from "./postmaster.ts";
import { chooseRunner, type Owner, type Runner } from "./runner.ts";
import { isServerOf } from "./session.ts";

type StartOptions = {
  cluster: Cluster;
  native: string;
  runner: Runner;
  logFile: string;
  port: number;
};

const maxAttempts = 4;
const readyTimeoutMs = 120_000;
const maxLogBytes = 10 * 1024 * 1024;
/** Another program took the port meanwhile, or backends of a killed server have not ended yet. */
const temporaryFailure = /address already in use|shared memory block/i;

/** Starts the server of a cluster, which must not be running. Returns its URL when it answers. Call it under the lock. */
export async function launch(cluster: Cluster, dataDir: string, log: Logger): Promise<string> {
  const runner = chooseRunner(cluster.owner);
  const native = await prepareBinaries(dirname(cluster.directory), runner.owner);
  const logFile = await prepareLog(dataDir);
  let message = "";
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await replaceStalePid(cluster.directory);
    const port = await choosePort(cluster);
    message = await start({ cluster, native, runner, logFile, port });
    if (!message) {
      log.info({ port, log: logFile }, "started the embedded PostgreSQL");
      return addressOf(cluster, port);
    }
    if (!temporaryFailure.test(message)) break;
    await sleep(500 * attempt);
  }
  throw cannotStart(`it does not start. The end of ${logFile}:\n${message}\n`, "repair what the log names");
}

/** Returns what went wrong, or "" when the server answers. */
async function start({ cluster, native, runner, logFile, port }: StartOptions): Promise<string> {
  const logSize = await sizeOf(logFile);
  const log = await openLog(logFile, runner.owner);
  const [command, ...args] = [...runner.prefix, join(native, "bin", "postgres"), ...serverOptions(cluster, port)];
  // Detached: Ctrl-C or a signal to our process group must not end the database while a server still finishes its requests.
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
  const failure = await waitUntilReady(child, () => isServerOf(addressOf(cluster, port), cluster.directory));
  return failure && `${await tail(logFile, logSize)}\n(${failure})`;
}

/** A quarter of the memory, but at least PostgreSQL's own default and at most 1 GB, which leaves room for other programs. */
function sharedBuffersMb(memoryBytes: number): number {
  return Math.min(1_024, Math.max(128, Math.floor(memoryBytes / 4 / 2 ** 20)));
}

function serverOptions({ directory }: Cluster, port: number): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // Enough for a dozen workers; unused connections cost almost nothing.
    max_connections: "400",
    // With the default of 128 MB a long history is read from the system's cache, and pages with scattered rows took twice as long.
    shared_buffers: `${sharedBuffersMb(totalmem())}MB`,
    fsync: "on",
    synchronous_commit: "on",
    // Recycled segments of the log would keep what was erased (src/ops/backup/purge.ts); without recycling they are removed. A new one costs 18 ms of
    // processor time and 52 ms of waiting more (medians of 7 pairs), once in 13,000 donations of 1.3 kB: 1.4 µs of 400, 1.4 % at 3,600 a second.
    wal_recycle: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    // Messages of failed statements can quote donators' texts, so only messages of the server itself are logged.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
  };
  return ["-D", directory, "-p", String(port), ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

async function waitUntilReady(child: ChildProcess, ready: () => Promise<boolean>): Promise<string> {
  const deadline = Date.now() + readyTimeoutMs;
  while (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    if (await ready()) return "";
    if (Date.now() > deadline) return `process ${child.pid} did not answer within two minutes`;
    await sleep(50);
  }
  return `it ended with ${child.signalCode ?? `status ${child.exitCode}`}`;
}

/** The port of the last run when it is free, because another process may still use its URL; otherwise any free port. */
async function choosePort({ directory }: Cluster): Promise<number> {
  const options = await readFile(join(directory, "postmaster.opts"), "utf8").catch(() => "");
  const last = Number(/"-p" "(\d+)"/.exec(options)?.[1]);
  // A client that tries to reach the dead server may occupy the port for a moment, as the local end of its own connection.
  for (let attempt = 1; last && attempt <= maxAttempts; attempt++) {
    if (await probePort(last).catch(() => undefined)) return last;
    await sleep(250);
  }
  return probePort(0);
}

/** Returns the port when it is free, or any free one when `wanted` is 0. Rejects otherwise. */
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
  if ((await sizeOf(file)) > maxLogBytes) await rename(file, `${file}.1`);
  return file;
}

/** The log belongs to the owner of the data, who may start the server again after root has. */
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
