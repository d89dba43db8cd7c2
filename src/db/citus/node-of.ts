// On which node a streamer's rows are, as the coordinator knows without asking a node.

import type { Knex } from "knex";

/** Resolves to the number of the streamer's node; null while that is not known. Never rejects. */
export type NodeOf = (streamerId: string) => Promise<number | null>;

/** Shards move when an operator adds a node. A stale entry costs a query on a node that lacks the rows; nothing is lost. */
const rememberedMs = 600_000;
const maxRemembered = 100_000;

/** Remembers nodes, each for ten minutes. */
export function findNodes(knex: Knex): NodeOf {
  const found = new Map<string, { at: number; node: Promise<number | null> }>();
  return (streamerId) => {
    const known = found.get(streamerId);
    if (known && performance.now() - known.at < rememberedMs) return known.node;
    if (found.size >= maxRemembered) found.clear();
    const node = findNode(knex, streamerId).catch(() => {
      found.delete(streamerId);
      return null;
    });
    found.set(streamerId, { at: performance.now(), node });
    return node;
  };
}

async function findNode(knex: Knex, streamerId: string): Promise<number | null> {
  const { rows } = await knex.raw<{ rows: { groupid: number }[] }>(
    "select groupid from pg_dist_placement where shardid = get_shard_id_for_distribution_column('streamers', ?::uuid)",
    [streamerId],
  );
  return rows[0]?.groupid ?? null;
}
