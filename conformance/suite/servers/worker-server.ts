// A server with two workers, one of which can be killed.

import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Donation } from "../client/api.ts";
import { donation, freshIdentifier, freshKey } from "../values/donations.ts";
import { type Operator, oauth, target } from "../values/target.ts";
import { freePort, type Process, startProcess } from "./start-server.ts";

/** A server with two workers. */
export type WorkerServer = Process & {
  /** Process ids of the workers. */
  workers: () => Promise<number[]>;
  /** The log of all processes so far. */
  readLog: () => Promise<string>;
  /** Resolves when this many workers have begun to serve since the start, ended ones included. */
  waitForServing: (count: number) => Promise<void>;
  /** The value of this metric. */
  metric: (name: string) => Promise<number>;
};

const timeoutMs = 240_000;

/** Starts a server with two workers and waits until both serve. `name`: name of its log file. */
export async function startWorkerServer(operator: Operator, name: string, others: Record<string, string> = {}): Promise<WorkerServer> {
  const metrics = await freePort();
  const env = { WORKERS: "2", METRICS_PORT: String(metrics), TTS: "off", ...others };
  const process = await startProcess(operator, name, env);
  const readLog = (): Promise<string> => readFile(join(oauth().logs, `${name}.log`), "utf8");
  const server: WorkerServer = {
    ...process,
    workers: async () => {
      const { stdout } = await promisify(execFile)("pgrep", ["-P", String(process.pid), "-f", "src/main.ts"]).catch(() => ({ stdout: "" }));
      return stdout.split("\n").filter(Boolean).map(Number);
    },
    readLog,
    waitForServing: async (count) => {
      const deadline = Date.now() + timeoutMs;
      while ((await readLog()).split("this worker serves").length - 1 < count) {
        if (Date.now() > deadline) throw new Error(`${count} workers have not served within ${timeoutMs / 1000} s`);
        await sleep(100);
      }
    },
    metric: async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(`${name} `)) ?? "";
      return Number(line.slice(name.length));
    },
  };
  if (env.WORKERS !== "1") await server.waitForServing(Number(env.WORKERS));
  return server;
}

/** Kills worker `number` of a starting server as soon as it exists; returns its process id. `mark`: value of MARK in that server's environment. */
export async function killWorker(number: number, mark: string): Promise<number> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (!environment.includes(`MARK=${mark}\0`) || !environment.includes(`NODE_UNIQUE_ID=${number}\0`)) continue;
      process.kill(Number(pid), "SIGKILL");
      return Number(pid);
    }
    await sleep(5);
  }
  throw new Error(`worker ${number} has not started within ${timeoutMs / 1000} s`);
}

// Generates load: concurrent clients, each of which records one donation after the other over a connection of its own. Failed requests are not repeated.

export type LoadGenerator = {
  /** Identifier of all donations of this load. */
  identifier: string;
  /** Donations that were answered, by the idempotency key that was sent. */
  answered: Map<string, Donation>;
  /** Statuses of answers other than 201. */
  refused: number[];
  /** Error codes of requests that were sent and not answered. */
  unanswered: string[];
  /** Resolves when all clients have ended: after `stop`, or after `Connection: close` if they obey that. */
  finished: Promise<void>;
  stop: () => void;
};

/** `obeysClose`: a client that receives `Connection: close` ends instead of opening another connection. */
export function startLoad(server: string, size: number, { heeding: obeysClose = false } = {}): LoadGenerator {
  const identifier = freshIdentifier();
  const load = { identifier, answered: new Map<string, Donation>(), refused: [] as number[], unanswered: [] as string[] };
  let stopping = false;
  const record = async (agent: Agent): Promise<boolean> => {
    const idempotencyKey = freshKey();
    try {
      const { status, closes, text } = await post(server, agent, JSON.stringify(donation({ idempotencyKey, identifier })));
      if (status === 201) load.answered.set(idempotencyKey, JSON.parse(text).data);
      else load.refused.push(status);
      return !(obeysClose && closes);
    } catch (error) {
      load.unanswered.push((error as NodeJS.ErrnoException).code ?? String(error));
      return !obeysClose;
    }
  };
  const runClient = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopping && (await record(agent)));
    agent.destroy();
  };
  const finished = Promise.all(Array.from({ length: size }, runClient)).then(() => {});
  const stop = (): void => {
    stopping = true;
  };
  return { ...load, finished, stop };
}

type Answer = { status: number; closes: boolean; text: string };

function post(server: string, agent: Agent, body: string): Promise<Answer> {
  const headers = {
    Authorization: `Bearer ${target().keys.main}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const read = async (message: IncomingMessage): Promise<void> => {
      let text = "";
      for await (const chunk of message.setEncoding("utf8")) text += chunk;
      resolve({ status: message.statusCode ?? 0, closes: message.headers.connection === "close", text });
    };
    const outgoing = request(`${server}/api/v1/donations`, { agent, method: "POST", headers });
    outgoing
      .on("response", (message) => void read(message).catch(reject))
      .on("error", reject)
      .end(body);
  });
}
