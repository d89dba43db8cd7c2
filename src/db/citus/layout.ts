// Where the rows of streamers are: on one server, or on the nodes of a Citus cluster. This file, and node-functions.ts, are all that the rest of
// the program uses of this folder. It says what is to be done, and asks no node: a pool knows its layout, and so do its transactions.

import type { Knex } from "knex";
import { isUnavailable } from "../failures.ts";

export type Layout = "onServer" | "onNodes";

/** Shared by all pools of a database, and set once the first of them has asked the server. */
export type PoolTraits = { layout: Layout };

/** That of a database whose tables are distributed, or will be by its migrations. */
export async function findLayout(knex: Knex, distribute: "citus" | null | undefined): Promise<Layout> {
  return distribute === "citus" || (await areDistributed(knex)) ? "onNodes" : "onServer";
}

async function areDistributed(knex: Knex): Promise<boolean> {
  const { rows: citus } = await knex.raw<{ rows: unknown[] }>("select from pg_extension where extname = 'citus'");
  if (citus.length === 0) return false;
  const { rows } = await knex.raw<{ rows: unknown[] }>("select from pg_dist_partition where logicalrelid = to_regclass('streamers')");
  return rows.length > 0;
}

function layoutOf(knex: Knex): Layout {
  const { traits }: { traits?: PoolTraits } = knex.userParams ?? {};
  return traits?.layout ?? "onServer";
}

/** What the log says of a layout at a start. */
export const describeLayout = (layout: Layout) => (layout === "onNodes" ? { distributed: true } : {});

type Ways<Arguments extends unknown[], Result> = Readonly<Record<Layout, (knex: Knex, ...given: Arguments) => Result>>;

/**
 * Work that takes other statements where rows are on nodes: Citus sends some as a whole to no node, and each is to ask as few nodes as it can.
 * Both ways do the same; which one is taken, the layout of the pool decides.
 */
export function placed<Arguments extends unknown[], Result>(ways: Ways<Arguments, Result>) {
  return (knex: Knex, ...given: Arguments): Result => ways[layoutOf(knex)](knex, ...given);
}

/**
 * Runs `work` with all streamers, or with those of each node by themselves; `work` names them by `= any(…)`, so that Citus asks no other
 * shards. The rows of a node that is away are missing; rejects when all nodes are away, or with any other error.
 */
export const eachPart = placed({
  onServer: <Row>(_: Knex, streamerIds: readonly string[], work: Work<Row>) => work(streamerIds),
  onNodes: async <Row>(knex: Knex, streamerIds: readonly string[], work: Work<Row>): Promise<Row[]> => {
    if (streamerIds.length === 0) return [];
    const settled = await Promise.allSettled((await groupByNode(knex, streamerIds)).map(work));
    const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    const other = failures.find((failure) => !isUnavailable(failure));
    if (other || failures.length === settled.length) throw other ?? failures[0];
    return settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  },
}) as <Row>(knex: Knex, streamerIds: readonly string[], work: Work<Row>) => Promise<Row[]>;

type Work<Row> = (ids: readonly string[]) => Promise<Row[]>;

/** From what the coordinator knows of its shards, without asking a node. */
async function groupByNode(knex: Knex, streamerIds: readonly string[]): Promise<string[][]> {
  const { rows } = await knex.raw<{ rows: { ids: string[] }[] }>(
    `select array_agg(id::text) as ids from unnest(?::uuid[]) as asked(id)
     join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('streamers', id) group by p.groupid`,
    [streamerIds],
  );
  return rows.map(({ ids }) => ids);
}

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

/** Runs a statement on the server, or on every node. Resolves to the value that each returned. */
export const onEachServer = placed({
  onServer: async (knex: Knex, statement: string): Promise<unknown[]> => {
    const { rows = [] } = await knex.raw<{ rows?: object[] }>(statement);
    return rows.flatMap(Object.values);
  },
  onNodes: async (knex: Knex, statement: string): Promise<unknown[]> => {
    const { rows } = await knex.raw<{ rows: { node: string; success: boolean; result: string }[] }>(
      `select nodename || ':' || nodeport as node, success, result from run_command_on_all_nodes(?) join pg_dist_node using (nodeid)`,
      [statement],
    );
    const failed = rows.find(({ success }) => !success);
    if (failed) throw new Error(`${failed.node}: ${failed.result}`);
    return rows.map(({ result }) => result);
  },
});

// Limits of pools and batches.

type PoolSize = Readonly<{ max: number; applicationName?: string }>;

/** Connections of pools whose statements each go to one node: a node that is away must leave some for the streamers of others. */
const sizesOnNodes: Readonly<Record<string, number>> = { "donations reads": 8, "donations writer": 16 };

/** How many connections such a pool may open. */
export const sizeOf = (layout: Layout | undefined, { max, applicationName = "" }: PoolSize): number =>
  layout === "onNodes" ? (sizesOnNodes[applicationName] ?? max) : max;

/** Settings of the planner. A distributed database leaves them to its nodes, and its plans must not be forced to be generic. */
export const plannerSettings = <Settings extends object>(layout: Layout | undefined, settings: Settings | undefined) =>
  layout === "onNodes" ? {} : settings;

/** Calls that one statement answers, and statements under way. On nodes, each call goes to the node of its streamer, by itself. */
export const readLimits = placed({
  onServer: (_, usual: ReadLimits) => usual,
  onNodes: (_, _usual: ReadLimits) => ({ maxBatch: 1, maxUnderWay: 8 }),
});

type ReadLimits = Readonly<{ maxBatch: number; maxUnderWay: number }>;
