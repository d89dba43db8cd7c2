// Starts our server as a process of its own, at a port that no other process takes.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestContext } from "vitest";
import { launches } from "../client/launches.ts";
import { checkout, node } from "../contract/sources.ts";
import { type Operator, oauth, target } from "../values/target.ts";

// Several runs, and the workers of each, start servers at the same time, and a server binds its port seconds after it was chosen. So a
// port is reserved for the process that chose it, by a file that all processes of the machine see.

const reservations = join(tmpdir(), "namjai-ports");
/** After this time a reservation is void: its process was killed. */
const validMs = 3_600_000;
const own: string[] = [];

/** Returns a free port below the ephemeral range: an outgoing connection could take one of that range before the server listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (reserve(port) && (await isFree(port))) return port;
  }
}

function reserve(port: number): boolean {
  const file = join(reservations, String(port));
  try {
    mkdirSync(reservations, { recursive: true });
    const reservedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (Date.now() - reservedAt > validMs) rmSync(file, { force: true });
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOENT") return false; // reserved by another process, or the last one has deleted the folder
    throw error;
  }
  if (own.push(file) === 1) process.once("exit", release);
  return true;
}

function release(): void {
  for (const file of own) rmSync(file, { force: true });
  try {
    rmdirSync(reservations);
  } catch {
    // Others have reservations there.
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}

// The process of a server.

export type Server = {
  pid: number;
  /** Sends SIGTERM; throws unless the server exits with 0. */
  stop: () => Promise<void>;
  /** Sends SIGKILL. */
  kill: () => Promise<void>;
};

/** `log`: file for all output of the server. `quiet`: shows none of it on the terminal. `code`: folder of its code, if not this checkout. */
type Launch = { log: string; quiet?: boolean; code?: string | undefined };

/** Only a server that hangs reaches it. */
const startTimeoutMs = 240_000;
const stopTimeoutMs = 120_000;
/** Characters of the server's output that an error shows. */
const maxShown = 1_000;

/** Servers that this process has started and that run: it leaves none behind. */
const running = new Set<ChildProcess>();
const stopAll = (): void => {
  for (const child of running) child.kill("SIGTERM");
};
process.on("exit", stopAll);
// vitest ends a process of rules in this way that takes too long to stop, as after Ctrl-C on a busy machine. Others handle the signal themselves.
if (process.env.VITEST_POOL_ID)
  process.once("SIGTERM", (signal) => {
    stopAll();
    process.kill(process.pid, signal); // without this listener it ends the process; process.exit is vitest's here
  });

/** Starts the server and waits until it is ready. */
export async function startServer(url: string, env: Record<string, string>, launch: Launch): Promise<Server> {
  const child = spawn(node, ["src/main.ts"], { cwd: launch.code ?? checkout, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const output = captureOutput(child, launch);
  launches.set(url, env);
  try {
    await waitUntilReady(url, child, output);
  } catch (cause) {
    child.kill("SIGKILL");
    throw cause;
  }
  return { pid: child.pid as number, stop: () => stop(child), kill: () => killProcess(child) };
}

/** Writes the server's output to its log. Returns a function that returns the last lines of it. */
function captureOutput({ stdout, stderr }: ChildProcess, { log, quiet = false }: Launch): () => string {
  let last = "";
  const note = (part: Buffer): void => void (last = (last + part).slice(-maxShown));
  stdout?.on("data", note);
  stderr?.on("data", note);
  const file = createWriteStream(log, { flags: "a" });
  stdout?.pipe(file, { end: false });
  stderr?.pipe(file, { end: false });
  if (!quiet) {
    stdout?.pipe(process.stdout, { end: false });
    stderr?.pipe(process.stderr, { end: false });
  }
  return () => last.trim();
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  let ended = false;
  child.once("close", () => void (ended = true)); // after the last of its output
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (ended) throw new Error(`the server stopped while starting, ${child.signalCode ?? `exit code ${child.exitCode}`}: ${output()}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.text(); // an answer that is not read fails outside of all rules when its connection is closed
    if (answer?.status === 200) return;
    await sleep(50);
  }
  throw new Error(`the server was not ready within ${startTimeoutMs / 1000} s`);
}

/** Resolves when the process has ended. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Sends SIGTERM, which must end it with exit code 0 (operator's interface). */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`the server died during the run, exit code ${child.exitCode}`);
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const late = sleep(stopTimeoutMs, "late" as const, { ref: false });
  if ((await Promise.race([exited, late])) === "late") child.kill("SIGKILL");
  const [code, signal] = await exited;
  if (code !== 0) throw new Error(`SIGTERM ended the server with ${signal ?? `exit code ${code}`} instead of 0`);
}

// Starts further processes on the database of the server under test.

/** Another server process on the database of the server under test. */
export type Process = Server & { url: string };

/** Skips the test where the server is not ours: its rules are about processes that the suite starts on the server's database. */
export const needsOwnProcess = (context: TestContext): void =>
  void (
    target().operator ?? context.skip("not run: starts server processes of its own, and the server is not one that the suite has started")
  );

/** Starts a process with the base URL of the server under test, logging at level trace. `name`: name of its log file. */
export const startProcess = (operator: Operator, name: string, others: Record<string, string> = {}): Promise<Process> =>
  startIndependent(operator, name, { BASE_URL: target().url, ...others });

/** Starts a process as an independent server: its base URL is its own address. */
export async function startIndependent({ env, code }: Operator, name: string, others: Record<string, string> = {}): Promise<Process> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const log = join(oauth().logs, `${name}.log`);
  const all = { ...env, PORT: port, LOG_LEVEL: "trace", ...others };
  return { ...(await startServer(url, all, { log, quiet: true, code })), url };
}
