// The server as processes of its own, for tests.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { freePort, temporaryDirectory, until } from "../../db/testing.ts";

export type ServerProcess = Readonly<{
  child: ChildProcess;
  url: string;
  /** What it has written to stdout and stderr so far. */
  output: () => string;
  /** Waits until it has written this text. Rejects with its output when it ends before. */
  says: (text: string) => Promise<void>;
  /** The text of /metrics; fails unless it is answered within four seconds. */
  metrics: () => Promise<string>;
  /** Resolves to the exit code. */
  stop: () => Promise<number | null>;
}>;

/** `launch` starts the server, `start` waits as well until it serves, with all its workers. `env` has DATABASE_URL. */
type Servers = Readonly<Record<"launch" | "start", (env: Readonly<Record<string, string>>) => Promise<ServerProcess>>>;

/** Lets a test file start servers. Those that its tests have not stopped, since one has failed, are killed at its end. */
export function useServers(): Servers {
  const running = new Set<ChildProcess>();
  afterAll(async () => {
    for (const child of running) child.kill("SIGKILL");
    await until(async () => running.size === 0);
  });
  const launch: Servers["launch"] = async (env) => {
    const server = await launchServer(env);
    running.add(server.child);
    server.child.once("close", () => running.delete(server.child));
    return server;
  };
  const start: Servers["start"] = async (env) => {
    const server = await launch(env);
    await server.says("Listening on");
    return server;
  };
  return { launch, start };
}

async function launchServer(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const { PATH, NODE_COMPILE_CACHE, TMPDIR } = process.env;
  const fixed = { PATH, NODE_COMPILE_CACHE, TMPDIR, PORT: String(port), METRICS_PORT: String(metricsPort), TTS: "off" };
  const all = { ...fixed, DATA_DIR: await temporaryDirectory(), ...env };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../main.ts")], { env: all });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => void (output += part));
  const exited = once(child, "close") as Promise<[number | null]>;
  let hasEnded = false;
  child.once("close", () => void (hasEnded = true));
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    says: async (text) => {
      await until(async () => hasEnded || output.includes(text));
      expect(output).toContain(text);
    },
    metrics: async () => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, {
        headers: { Connection: "close" }, // the server may close a kept connection while the next request is under way
        signal: AbortSignal.timeout(4_000),
      });
      expect(answer.status).toBe(200);
      return answer.text();
    },
    stop: async () => {
      child.kill("SIGTERM");
      return (await exited)[0];
    },
  };
}
