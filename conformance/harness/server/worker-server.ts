import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { oauth } from "../oauth/oauth-client.ts";
import { type Process, startProcess } from "./process.ts";
import { freePort } from "./start-server.ts";
import type { Operator } from "./target.ts";

/** A server with two workers. */
export type Crew = Process & {
  /** Process ids of the workers. */
  workers: () => Promise<number[]>;
  /** What all processes have said so far. */
  said: () => Promise<string>;
  /** Resolves when so many workers have begun to serve, those that are gone included. */
  served: (count: number) => Promise<void>;
  /** The number that stands behind this name in the metrics. */
  metric: (name: string) => Promise<number>;
};

const patience = 60_000;

/** Starts it, and waits for both. `name`: of its log. */
export async function startCrew(operator: Operator, name: string, others: Record<string, string> = {}): Promise<Crew> {
  const metrics = await freePort();
  const env = { WORKERS: "2", METRICS_PORT: String(metrics), TTS: "off", ...others };
  const process = await startProcess(operator, name, env);
  const said = (): Promise<string> => readFile(join(oauth().logs, `${name}.log`), "utf8");
  const crew: Crew = {
    ...process,
    workers: async () => {
      const { stdout } = await promisify(execFile)("pgrep", ["-P", String(process.pid), "-f", "src/main.ts"]).catch(() => ({ stdout: "" }));
      return stdout.split("\n").filter(Boolean).map(Number);
    },
    said,
    served: async (count) => {
      const deadline = Date.now() + patience;
      while ((await said()).split("this worker serves").length - 1 < count) {
        if (Date.now() > deadline) throw new Error(`${count} workers have not served within ${patience / 1000} s`);
        await sleep(100);
      }
    },
    metric: async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
      const line = text.split("\n").find((one) => one.startsWith(`${name} `)) ?? "";
      return Number(line.slice(name.length));
    },
  };
  if (env.WORKERS !== "1") await crew.served(Number(env.WORKERS));
  return crew;
}

/** Kills this worker of a server that is starting, as soon as it is there; its process id. `mark`: in the server's environment. */
export async function killWorker(number: number, mark: string): Promise<number> {
  const deadline = Date.now() + patience;
  while (Date.now() < deadline) {
    for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (!environment.includes(`MARK=${mark}\0`) || !environment.includes(`NODE_UNIQUE_ID=${number}\0`)) continue;
      process.kill(Number(pid), "SIGKILL");
      return Number(pid);
    }
    await sleep(5);
  }
  throw new Error(`worker ${number} has not started within ${patience / 1000} s`);
}
