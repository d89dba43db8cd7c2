// Statements about many streamers, node by node where Citus distributes the database: a node that is away stops those of its streamers alone.

import type { Knex } from "knex";
import { isUnavailable } from "../failures.ts";
import { isDistributed } from "./distributed.ts";

/**
 * Runs `work` with all streamers, or with those of each node by themselves; `work` names them by `= any(…)`, so that Citus asks no other
 * shards. The rows of a node that is away are missing; rejects when all nodes are away, or with any other error.
 */
export async function byNode<Row>(
  knex: Knex,
  streamerIds: readonly string[],
  work: (ids: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  if (!isDistributed(knex)) return work(streamerIds);
  if (streamerIds.length === 0) return [];
  const settled = await Promise.allSettled((await groupByNode(knex, streamerIds)).map(work));
  const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  const other = failures.find((failure) => !isUnavailable(failure));
  if (other || failures.length === settled.length) throw other ?? failures[0];
  return settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

/** From what the coordinator knows of its shards, without asking a node. */
async function groupByNode(knex: Knex, streamerIds: readonly string[]): Promise<string[][]> {
  const { rows } = await knex.raw<{ rows: { ids: string[] }[] }>(
    `select array_agg(id::text) as ids from unnest(?::uuid[]) as asked(id)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('streamers', id) group by p.groupid`,
    [streamerIds],
  );
  return rows.map(({ ids }) => ids);
}
