// Where Citus keeps the rows of streamers, as the coordinator says.

import type pg from "pg";

/** The ports of the nodes that hold the streamers' donations, by handle. */
export async function nodesOfStreamers(coordinator: pg.Client): Promise<Map<string, number>> {
  const { rows: streamers } = await coordinator.query<{ id: string; handle: string }>(
    "select streamer_id as id, handle from streamer_handles",
  );
  const { rows } = await coordinator.query<{ handle: string; port: number }>(
    `select s.handle, n.nodeport as port from unnest($1::text[], $2::uuid[]) s(handle, id)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('donations', s.id)
     join pg_dist_node n using (groupid)`,
    [streamers.map(({ handle }) => handle), streamers.map(({ id }) => id)],
  );
  return new Map(rows.map(({ handle, port }) => [handle, port]));
}

/** Moves shards until all workers have as many, without keeping writers waiting for longer than the last step of a move. */
export async function rebalance(coordinator: pg.Client): Promise<void> {
  await coordinator.query("select citus_rebalance_start(shard_transfer_mode => 'force_logical')");
  await coordinator.query("select citus_rebalance_wait()");
  const { rows } = await coordinator.query<{ state: string }>("select state from pg_dist_background_job order by job_id desc limit 1");
  if (rows[0]?.state !== "finished") throw new Error(`rebalancing is ${rows[0]?.state}`);
}
