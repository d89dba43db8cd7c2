import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { noteLaunch } from "./launches.ts";

export type Server = {
  pid: number;
  /** Sends SIGTERM; throws unless the server exits with 0. */
  stop: () => Promise<void>;
  /** Sends SIGKILL. */
  kill: () => Promise<void>;
};

/** `log`: file for all output of the server. `quiet`: shows none of it on the terminal. `code`: folder of its code, if not this checkout. */
export type Launch = { log: string; quiet?: boolean; code?: string | undefined };

const startTimeoutMs = 60_000;
const stopTimeoutMs = 20_000;

export const checkout = fileURLToPath(new URL("../../..", import.meta.url));

/** The Node that package-lock.json fixes, not the machine's own. */
export const node = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

/** Starts the server and waits until it is ready. */
export async function startServer(url: string, env: Record<string, string>, launch: Launch): Promise<Server> {
  const child = spawn(node, ["src/main.ts"], { cwd: launch.code ?? checkout, env, stdio: ["ignore", "pipe", "pipe"] });
  captureOutput(child, launch);
  noteLaunch(url, env);
  try {
    await waitUntilReady(url, child, launch.log);
  } catch (cause) {
    child.kill("SIGKILL");
    throw cause;
  }
  return { pid: child.pid as number, stop: () => stop(child), kill: () => kill(child) };
}

function captureOutput({ stdout, stderr }: ChildProcess, { log, quiet = false }: Launch): void {
  const file = createWriteStream(log, { flags: "a" });
  stdout?.pipe(file, { end: false });
  stderr?.pipe(file, { end: false });
  if (quiet) return;
  stdout?.pipe(process.stdout, { end: false });
  stderr?.pipe(process.stderr, { end: false });
}

/** A free port below the ephemeral range: an outgoing connection could take one of that range before the server listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
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

async function waitUntilReady(url: string, child: ChildProcess, log: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server stopped while starting, exit code ${child.exitCode}: ${lastLine(log)}`);
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(50);
  }
  throw new Error(`the server was not ready within ${startTimeoutMs / 1000} s`);
}

/** What the server said last. */
const lastLine = (log: string): string => readFileSync(log, "utf8").trim().split("\n").at(-1) ?? "";

async function kill(child: ChildProcess): Promise<void> {
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
