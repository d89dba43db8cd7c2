// Whether a database is distributed over several nodes by Citus. Its statements keep to what one node can do alone, where that differs.

import type { Knex } from "knex";
import { isUnavailable } from "../failures.ts";

/** Shared by all pools of a database, and set once the first of them has asked the server. */
export type PoolTraits = { isDistributed: boolean };

/** Whether the database of a pool, or of a transaction of it, is distributed. */
export function isDistributed(knex: Knex): boolean {
  const { traits }: { traits?: PoolTraits } = knex.userParams ?? {};
  return traits?.isDistributed === true;
}

/** Reads whether the tables of the database are distributed. */
export async function findDistributed(knex: Knex): Promise<boolean> {
  const { rows: citus } = await knex.raw<{ rows: unknown[] }>("select from pg_extension where extname = 'citus'");
  if (citus.length === 0) return false;
  const { rows } = await knex.raw<{ rows: unknown[] }>("select from pg_dist_partition where logicalrelid = to_regclass('streamers')");
  return rows.length > 0;
}

// Statements about many streamers, node by node where Citus distributes the database: a node that is away stops those of its streamers alone.

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

// On which node a streamer's rows are, as the coordinator knows without asking a node.

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
