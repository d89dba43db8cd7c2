// Whether a database is distributed over several nodes by Citus. Its statements keep to what one node can do alone, where that differs.

import type { Knex } from "knex";

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
