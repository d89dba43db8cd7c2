// Two server processes on a Citus cluster of a coordinator and two workers, under the load of many streamers: workers are killed in turn and
// come back, one is frozen, the coordinator is killed, and a worker is added and gets its part of the shards. At last the data of all machines
// is lost, and restored from backups.

import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { cli, cliAll, keyCall } from "../../client/operator.ts";
import { seeded } from "../../values/run-settings.ts";
import { type CitusCluster, startCitus } from "../citus.ts";
import { backUpCluster, type Cluster, withConnection } from "../cluster.ts";
import { addWorker, freezeWorker, killCoordinator, killWorker, type Row, type TestBed } from "./citus-steps.ts";
import { countReported, type Later, startLoad, startTwoServers, type Verified } from "./load.ts";

/**
 * `env`: of the operator, without a database. `onRow` is called after each step. `later` gets what is to be undone at the end, the last one
 * first.
 */
type CitusRehearsal = {
  env: Record<string, string>;
  kills: number;
  seed: number;
  streamers?: number;
  onRow?: (row: Row) => void;
  later: Later;
};

/** `restored`: what is there after the restore, of all donations. */
type Outcome = Found & Readonly<{ rows: readonly Row[]; restored: Found }>;

/** `verified`: what `database verify` found. `movedShards`: shards of donations on the added worker. */
type Found = Verified & Readonly<{ verified: string; movedShards: number }>;

export async function rehearseCitus(options: CitusRehearsal): Promise<Outcome> {
  const testBed = await setStage(options);
  const stopLoads = () => Promise.all(testBed.streamers.map(({ load }) => load.stop()));
  const rows = await runSteps(testBed, options).finally(stopLoads);
  const before = await verify(testBed);
  await loseAndRestore(testBed.cluster);
  return { rows, ...before, restored: await verify(testBed) };
}

async function setStage({ env, streamers: count = 24, later }: CitusRehearsal): Promise<TestBed> {
  const cluster = await startCitus({ settings: archiving });
  later(cluster.stop);
  const servers = await startTwoServers(env, { DATABASE_URL: cluster.url, DISTRIBUTE: "citus" }, later);
  const operator = { env: servers.env, handle: "" };
  const handles = Array.from({ length: count }, (_, number) => `streamer-${number}`);
  const calls = handles.flatMap((handle) => [["streamers", "create", handle], keyCall(handle, "write:donations read:donations")]);
  const outputs = await cliAll(operator, calls);
  const streamers = handles.map((handle, index) => {
    const key = outputs[index * 2 + 1] as string;
    return { handle, key, load: startLoad({ urls: () => servers.urls, key, writers: 1 }) };
  });
  return { cluster, servers, streamers };
}

async function runSteps(testBed: TestBed, { kills, seed, onRow = () => {} }: CitusRehearsal): Promise<Row[]> {
  const random = seeded(seed);
  const rows: Row[] = [];
  const note = (row: Row): void => {
    rows.push(row);
    onRow(row);
  };
  const { workers } = testBed.cluster;
  while (rows.length < kills) {
    await sleep(1_000 + 1_000 * random());
    const number = rows.length % workers.length;
    note(await killWorker(testBed, workers[number] as Cluster, `worker ${number + 1} killed`));
  }
  note(await freezeWorker(testBed, workers[0] as Cluster));
  note(await killCoordinator(testBed));
  note(await addWorker(testBed));
  await backUp(testBed.cluster);
  await sleep(1_000);
  return rows;
}

async function verify(testBed: TestBed): Promise<Found> {
  return withConnection(testBed.cluster.url, (database) => verifyIn(database, testBed));
}

async function verifyIn(database: pg.Client, { cluster, servers, streamers }: TestBed): Promise<Found> {
  const sum = { acknowledged: 0, lost: 0, doubled: 0, unasked: 0, reported: 0 };
  const unexpected: string[] = [];
  for (const { handle, key, load } of streamers) {
    const [counted, verified] = [load.counted(), await load.verify(database)];
    sum.acknowledged += counted.acknowledged;
    for (const what of ["lost", "doubled", "unasked"] as const) sum[what] += verified[what];
    unexpected.push(...counted.unexpected.map((status) => `${handle}: ${status}`));
    sum.reported += await countReported(servers.urls[0] as string, key);
  }
  const { rows } = await database.query<{ count: number }>("select count(*)::int as count from donations");
  const added = Number(new URL(cluster.workers.at(-1)?.url ?? "").port);
  const { rows: moved } = await database.query<{ count: number }>(
    "select count(*)::int as count from citus_shards where table_name = 'donations'::regclass and nodeport = $1",
    [added],
  );
  const verified = await cli({ env: servers.env, handle: "" }, "database", "verify").catch((error: Error) => error.message);
  return { ...sum, unexpected, stored: rows[0]?.count ?? 0, verified, movedShards: moved[0]?.count ?? 0 };
}

// Backups of all machines of a Citus cluster, taken while donations come, and their restore to one point, which Citus makes on all of them.

/** Settings of every machine: it keeps its log of writes beside its data, as a machine of one's own would. */
const archiving = {
  archive_mode: "on",
  archive_command: "mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f",
};

async function backUp({ coordinator, workers }: CitusCluster): Promise<void> {
  for (const node of [coordinator, ...workers]) await backUpCluster(node, backupOf(node));
}

/** Loses the data of all machines, and restores what was there when the restore point was made. Nothing may be written after it. */
async function loseAndRestore({ url, coordinator, workers }: CitusCluster): Promise<void> {
  const nodes = [coordinator, ...workers];
  await withConnection(url, (client) => client.query("select citus_create_restore_point('rehearsal')"));
  await Promise.all(nodes.map(untilArchived));
  for (const node of nodes) await node.sigkill();
  for (const node of nodes) await restore(node);
}

/** Until everything that is written so far is in the archive. */
async function untilArchived({ url }: Cluster): Promise<void> {
  await withConnection(url, async (client) => {
    const { rows } = await client.query<{ file: string }>("select pg_walfile_name(pg_switch_wal()) as file");
    for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
      const archived = await client.query("select from pg_stat_archiver where last_archived_wal >= $1", [rows[0]?.file]);
      if (archived.rowCount === 1) return;
      if (Date.now() > deadline) throw new Error("the log of writes was not archived within a minute");
    }
  });
}

async function restore(node: Cluster): Promise<void> {
  await rm(node.data, { recursive: true });
  await rename(backupOf(node), node.data);
  const settings = { restore_command: "cp ../archive/%f %p", recovery_target_name: "rehearsal", recovery_target_action: "promote" };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await writeFile(join(node.data, "postgresql.auto.conf"), lines.join(""));
  await writeFile(join(node.data, "recovery.signal"), "");
  await node.start();
  await withConnection(node.url, async (client) => {
    for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
      const { rows } = await client.query<{ recovers: boolean }>("select pg_is_in_recovery() as recovers");
      if (!rows[0]?.recovers) return;
      if (Date.now() > deadline) throw new Error("a machine did not reach the restore point within a minute");
    }
  });
}

const backupOf = ({ data }: Cluster): string => join(data, "../backup");
