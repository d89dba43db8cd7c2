// Starts two server processes on one database, for rehearsals.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { freePort } from "../free-port.ts";
import { type Server, startServer } from "../start-server.ts";

/** Adds what is undone at the end, the last one first. */
export type Later = (undo: () => Promise<unknown>) => void;

type Env = Readonly<Record<string, string>>;

/** `env`: with which the operator's CLI runs beside them. `logs`: the files of their output. */
export type TwoServers = { urls: string[]; logs: string[]; env: Record<string, string> };

/** Starts two server processes on one database, without rate limits and speech. `env`: of the operator. `own`: `DATABASE_URL`, and more. */
export async function startTwoServers(env: Env, own: Env, later: Later): Promise<TwoServers> {
  const folder = await mkdtemp(join(tmpdir(), "namjai-rehearsal-"));
  later(() => rm(folder, { recursive: true }));
  const fixed = { HOST: "127.0.0.1", RATE_LIMITS: "off", TTS: "off", LOG_LEVEL: "error", DATA_DIR: folder, NOTIFIER: "postgres" };
  const shared = { ...env, ...fixed, ...own };
  const [urls, logs]: [string[], string[]] = [[], []];
  for (const number of [1, 2]) {
    const [port, log] = [String(await freePort()), join(folder, `server-${number}.log`)];
    const url = `http://127.0.0.1:${port}`;
    const server: Server = await startServer(url, { ...shared, PORT: port, BASE_URL: url }, { log, quiet: true });
    later(server.stop);
    urls.push(url);
    logs.push(log);
  }
  return { urls, logs, env: shared };
}

/** The number of donations that the streamer's report has. */
export async function countReported(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/donations/stats`, { headers: { Authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { data: { count: number } }).data.count;
}
