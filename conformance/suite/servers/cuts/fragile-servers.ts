// Server processes on one database that can be killed and come back.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Operator } from "../../values/target.ts";
import { createDatabase, databaseUrl } from "../database.ts";
import { freePort } from "../free-port.ts";
import { type Server, startServer } from "../start-server.ts";

/** Processes on one embedded database of their own. All can be killed and come back at the same address. */
export type FragileServers = {
  urls: string[];
  operator: Operator;
  /** Kills a process with SIGKILL and starts another at its address. */
  killServer: (index: number) => Promise<void>;
  /** Kills PostgreSQL's main process with SIGKILL. Resolves when every process can use it again. */
  killDatabase: () => Promise<void>;
  /** Ends all connections to the database. */
  killConnections: () => Promise<void>;
  stop: () => Promise<void>;
};

const readyMs = 120_000;

/** Starts them with the operator's environment, but on another database. */
export async function startFragileServers({ env, code }: Omit<Operator, "handle">, processes: number): Promise<FragileServers> {
  const [database, logs] = await Promise.all([createDatabase(undefined), mkdtemp(join(tmpdir(), "namjai-event-faults-"))]);
  const { DATABASE_URL: _, DATA_DIR: __, ...rest } = env;
  const shared: Record<string, string> = { ...rest, ...database.env, LOG_LEVEL: "silent", TTS: "off" };
  const places = await Promise.all(Array.from({ length: processes }, () => placeOf(logs)));
  const [first] = places as [Place];
  const start = ({ url, port, log }: Place): Promise<Server> =>
    startServer(url, { ...shared, PORT: port, BASE_URL: first.url }, { log, quiet: true, code });
  const servers: Server[] = [];
  for (const place of places) servers.push(await start(place));
  return {
    urls: places.map(({ url }) => url),
    operator: { env: { ...shared, PORT: first.port, BASE_URL: first.url }, handle: "", ...(code === undefined ? {} : { code }) },
    killServer: async (index) => {
      await servers[index]?.kill();
      servers[index] = await start(places[index] as Place);
    },
    killDatabase: async () => {
      const [pid] = (await readFile(join(shared.DATA_DIR ?? "", "postgres", "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      await sleep(500); // time for the processes to notice
      for (const { url } of places) await untilReady(url);
    },
    killConnections: async () => {
      const client = new pg.Client({ connectionString: await databaseUrl(shared) });
      await client.connect();
      await client
        .query("select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()")
        .finally(() => client.end());
    },
    stop: async () => {
      for (const server of servers.reverse()) await server.stop();
      await Promise.all([database.drop(), rm(logs, { recursive: true })]);
    },
  };
}

type Place = { url: string; port: string; log: string };

async function placeOf(logs: string): Promise<Place> {
  const port = String(await freePort());
  return { url: `http://127.0.0.1:${port}`, port, log: join(logs, `${port}.log`) };
}

async function untilReady(url: string): Promise<void> {
  for (const deadline = Date.now() + readyMs; Date.now() < deadline; await sleep(100)) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.text();
    if (answer?.ok) return;
  }
  throw new Error(`${url} was not ready within ${readyMs / 1000} s`);
}
