// The server as processes of its own, for tests.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { temporaryDirectory, until } from "../../db/testing.ts";

export type ServerProcess = Readonly<{
  child: ChildProcess;
  url: string;
  /** What it has written to stdout and stderr so far. */
  output: () => string;
  /** The text of /metrics; fails unless it is answered within four seconds. */
  metrics: () => Promise<string>;
  /** Resolves to the exit code. */
  stop: () => Promise<number | null>;
}>;

/** Starts the server and waits until it serves, with all its workers. `env` has DATABASE_URL. */
export async function startServer(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const fixed = { PATH, NODE_COMPILE_CACHE, PORT: String(port), METRICS_PORT: String(metricsPort), TTS: "off" };
  const all = { ...fixed, DATA_DIR: await temporaryDirectory(), ...env };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../main.ts")], { env: all });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => void (output += part));
  const exited = once(child, "close") as Promise<[number | null]>;
  const server = {
    child,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
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
  await until(async () => output.includes("Listening on"));
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}
