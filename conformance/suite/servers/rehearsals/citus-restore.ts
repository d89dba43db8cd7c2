// Backups of all machines of a Citus cluster, taken while donations come, and their restore to one point, which Citus makes on all of them.

import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { CitusCluster } from "../citus.ts";
import { backUpCluster, type Cluster } from "../cluster.ts";
import { withConnection } from "../with-connection.ts";

/** Settings of every machine: it keeps its log of writes beside its data, as a machine of one's own would. */
export const archiving = {
  archive_mode: "on",
  archive_command: "mkdir -p ../archive && test ! -f ../archive/%f && cp %p ../archive/%f",
};

export async function backUp({ coordinator, workers }: CitusCluster): Promise<void> {
  for (const node of [coordinator, ...workers]) await backUpCluster(node, backupOf(node));
}

/** Loses the data of all machines, and restores what was there when the restore point was made. Nothing may be written after it. */
export async function loseAndRestore({ url, coordinator, workers }: CitusCluster): Promise<void> {
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
