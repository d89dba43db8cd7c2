// A server with a database that a test can kill and bring back at the same address.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

import { createDatabase, databaseUrl } from "../../suite/servers/database.ts";
import { freePort } from "../../suite/servers/free-port.ts";
import { type Server, startServer } from "../../suite/servers/start-server.ts";
import type { Operator } from "../../suite/values/target.ts";
import type { PlaybackRow } from "./fault-rules.ts";
import { until } from "./overlay-tab.ts";

/** A server with its own embedded database. Both can be killed and come back at the same address. */
export type FaultyServer = {
  url: string;
  operator: Operator;
  /** Kills the server with SIGKILL and starts a new process. */
  killServer: () => Promise<void>;
  /** Kills PostgreSQL's main process with SIGKILL. Resolves when the server has started it again. */
  killDatabase: () => Promise<void>;
  playbacks: (handle: string) => Promise<PlaybackRow[]>;
  stop: () => Promise<void>;
};

export async function startFaultyServer({ env }: Operator, others: Record<string, string>): Promise<FaultyServer> {
  const [database, logs, port] = await Promise.all([createDatabase(undefined), mkdtemp(join(tmpdir(), "namjai-faults-")), freePort()]);
  const { DATABASE_URL: _, ...rest } = env;
  const own: Record<string, string> = { ...rest, ...database.env, PORT: String(port), LOG_LEVEL: "silent", ...others };
  const url = `http://127.0.0.1:${port}`;
  const output = { log: join(logs, "server.log"), quiet: true };
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  let server: Server = await startServer(url, own, output);
  return {
    url,
    operator: { env: own, handle: "" },
    killServer: async () => {
      await server.kill();
      server = await startServer(url, own, output);
    },
    killDatabase: async () => {
      const [pid] = (await readFile(join(own.DATA_DIR ?? "", "postgres", "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      await sleep(500); // time for the server to notice
      await until(isReady, (ready) => ready);
    },
    playbacks: async (handle) => {
      const client = new pg.Client({ connectionString: await databaseUrl(own) });
      await client.connect();
      const { rows } = await client.query<PlaybackRow>(playbacksOf, [handle]).finally(() => client.end());
      return rows;
    },
    stop: async () => {
      await server.stop();
      await Promise.all([database.drop(), rm(logs, { recursive: true })]);
    },
  };
}

const playbacksOf = `select p.id, p.donation_id as "donationId", p.sequence::int, p.state, a.status as "alertStatus",
    (extract(epoch from p.ended_at) * 1000)::float8 as "endedAt"
  from playbacks p join alerts a using (streamer_id, donation_id) join streamer_handles s on s.streamer_id = p.streamer_id
  where s.handle = $1 order by p.sequence`;
