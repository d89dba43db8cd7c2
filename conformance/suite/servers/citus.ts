// Starts a Citus cluster on loopback: a coordinator and workers, each a PostgreSQL of its own.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type pg from "pg";

import { type Cluster, postgresPrograms, type Settings, startCluster, withConnection } from "./cluster.ts";

/** A coordinator and workers on loopback, all with the extension Citus: the workers hold the shards. `stop` removes their data. */
export type CitusCluster = {
  /** The coordinator's database, which has the extension and knows the workers. */
  url: string;
  coordinator: Cluster;
  workers: readonly Cluster[];
  /** Starts another worker, which has no shards yet. */
  addWorker: () => Promise<Cluster>;
  stop: () => Promise<void>;
};

/** Why there can be no Citus cluster on this machine; null when there can. `root`: of the file system that is looked at. */
export async function missingCitus(root = "/"): Promise<string | null> {
  const programs = await postgresPrograms();
  if (!programs) return "there is no PostgreSQL in /usr/lib/postgresql (apt-get install postgresql)";
  const version = basename(dirname(programs));
  const missing = [`usr/lib/postgresql/${version}/lib/citus.so`, `usr/share/postgresql/${version}/extension/citus.control`].filter(
    (file) => !existsSync(join(root, file)),
  );
  if (missing.length === 0) return null;
  return (
    `PostgreSQL ${version} has no extension Citus, /${missing.join(" and /")} missing: ` +
    `install postgresql-${version}-citus-13.2, its vendor's package (docs/operations/citus.md)`
  );
}

/** `shards`: of each distributed table. `settings`: more of postgresql.conf, for all nodes; `coordinatorSettings`: for that one alone. */
type CitusOptions = { workers?: number; shards?: number; settings?: Settings; coordinatorSettings?: Settings };

export async function startCitus({
  workers = 2,
  shards = 16,
  settings = {},
  coordinatorSettings = {},
}: CitusOptions = {}): Promise<CitusCluster> {
  const all = {
    shared_preload_libraries: "citus",
    max_prepared_transactions: 200,
    max_connections: 200,
    wal_level: "logical",
    "citus.shard_count": shards,
    "citus.node_conninfo": "sslmode=disable", // all are on loopback
    "citus.enable_unsafe_triggers": "on", // they write to tables of the same streamer
    "citus.recover_2pc_interval": "5s",
    ...settings,
  };
  const started: Cluster[] = [];
  const stop = async () => {
    for (const node of started.splice(0).reverse()) await node.stop();
  };
  const startNode = async (own: Settings = {}): Promise<Cluster> => {
    const node = await startCluster({ ...all, ...own });
    started.push(node);
    await withConnection(node.url, (client) => client.query("create extension citus"));
    return node;
  };
  try {
    const coordinator = await startNode(coordinatorSettings);
    await withConnection(coordinator.url, (client) => setCoordinator(client, coordinator.url));
    const nodes: Cluster[] = [];
    const addWorker = async (): Promise<Cluster> => {
      const node = await startNode();
      for (const database of await databasesOf(coordinator.url)) await joinDatabase(coordinator.url, node.url, database);
      nodes.push(node);
      return node;
    };
    while (nodes.length < workers) await addWorker();
    return { url: coordinator.url, coordinator, workers: nodes, addWorker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates a database on every node of the coordinator at `url`. */
export async function createOnNodes(url: string, name: string): Promise<void> {
  await withConnection(url, (client) => client.query(`create database ${name}`));
  await joinNodes(url, name);
}

/** Makes the nodes known to a database of the coordinator at `url` that has no extension yet. */
export async function joinNodes(url: string, name: string): Promise<void> {
  const nodes = await nodesOf(url);
  await withConnection(inDatabase(url, name), (client) => client.query("create extension citus"));
  await withConnection(inDatabase(url, name), (client) => setCoordinator(client, url));
  for (const node of nodes) await joinDatabase(url, node, name);
}

/** Drops a database on every node of the coordinator at `url`. */
export async function dropOnNodes(url: string, name: string): Promise<void> {
  for (const node of [url, ...(await nodesOf(url))])
    await withConnection(node, (client) => client.query(`drop database if exists ${name} with (force)`));
}

/** Creates the database on the worker where it lacks, and makes it known to the coordinator's. */
async function joinDatabase(url: string, worker: string, name: string): Promise<void> {
  await withConnection(worker, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  });
  await withConnection(inDatabase(worker, name), (client) => client.query("create extension if not exists citus"));
  const { hostname, port } = new URL(worker);
  await withConnection(inDatabase(url, name), (client) => client.query("select citus_add_node($1, $2)", [hostname, Number(port)]));
}

/** The workers that the coordinator's database knows. */
async function nodesOf(url: string): Promise<string[]> {
  const { rows } = await withConnection(url, (client) =>
    client.query<{ host: string; port: number }>(
      "select nodename as host, nodeport as port from pg_dist_node where noderole = 'primary' and groupid > 0 order by nodeid",
    ),
  );
  return rows.map(({ host, port }) => Object.assign(new URL(url), { host: `${host}:${port}` }).href);
}

async function databasesOf(url: string): Promise<string[]> {
  const { rows } = await withConnection(url, (client) =>
    client.query<{ name: string }>("select datname as name from pg_database where not datistemplate and datallowconn"),
  );
  return rows.map(({ name }) => name);
}

/** So that the workers, too, read tables that the coordinator holds. */
async function setCoordinator(client: pg.Client, url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  await client.query("select citus_set_coordinator_host($1, $2)", [hostname, Number(port)]);
}

export const inDatabase = (url: string, name: string): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
