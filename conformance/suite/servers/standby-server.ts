// A server that reads from a standby.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { addStreamerWithKeys } from "../client/operator.ts";
import { type Cluster, startCluster, startStandby } from "./cluster.ts";
import { freePort } from "./free-port.ts";
import { startServer } from "./start-server.ts";

/** A server on a PostgreSQL of its own that reads from a standby. */
export type StandbyServer = {
  url: string;
  /** An API key that records and reads. */
  key: string;
  standby: Cluster;
  /** Runs a statement on the standby. */
  onStandby: (statement: string) => Promise<void>;
  /** How many reads went where, by outcome. */
  reads: () => Promise<Record<string, number>>;
  stop: () => Promise<void>;
};

/** `env`: of the operator, without a database. */
export async function startStandbyServer(env: Record<string, string>): Promise<StandbyServer> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const primary = await startCluster();
    undo.push(primary.stop);
    const standby = await startStandby(primary.url);
    undo.push(standby.stop);
    const folder = await mkdtemp(join(tmpdir(), "namjai-standby-"));
    undo.push(() => rm(folder, { recursive: true }));
    const [port, metrics] = [String(await freePort()), String(await freePort())];
    const url = `http://127.0.0.1:${port}`;
    const own = { ...env, HOST: "127.0.0.1", PORT: port, BASE_URL: url, METRICS_PORT: metrics, RATE_LIMITS: "off", TTS: "off" };
    const databases = { DATABASE_URL: primary.url, READ_DATABASE_URL: standby.url, DATA_DIR: folder };
    const server = await startServer(url, { ...own, ...databases }, { log: join(folder, "server.log"), quiet: true });
    undo.push(server.stop);
    const { key } = await addStreamerWithKeys({ env: { ...own, ...databases }, handle: "main" }, "main", "write:donations read:donations");
    return { url, key, standby, onStandby: (statement) => run(standby.url, statement), reads: () => readOutcomes(metrics), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function readOutcomes(metricsPort: string): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const found = [...text.matchAll(/^standby_reads_total\{outcome="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(found.map(([, outcome, count]) => [outcome, Number(count)]));
}
