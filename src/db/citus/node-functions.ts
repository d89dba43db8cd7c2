// Functions that run on the node of a streamer, so that what takes several statements there is one statement of the coordinator. They are
// made from the SQL of a single node and named by their text, so that versions of the program beside each other have their own.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import type { QueryConfig } from "pg";
import { lockByName } from "../advisory-lock.ts";

/**
 * A function in PL/pgSQL. `parameters`: their SQL types, the first one the id of the streamer. `returns`: columns of its rows, with their types.
 * `settings`: of PostgreSQL, while it runs.
 */
export type NodeFunction = Readonly<{
  name: string;
  parameters: readonly string[];
  returns: string;
  settings: Readonly<Record<string, string | number>>;
  body: string;
}>;

/** `prefix`: of its name, which says what it does. */
export function nodeFunction(prefix: string, make: Omit<NodeFunction, "name">): NodeFunction {
  return { ...make, name: `${prefix}_${createHash("sha256").update(JSON.stringify(make)).digest("hex").slice(0, 16)}` };
}

/** A statement that calls the function, which it creates first where nobody has done so. */
export function callsOf(make: NodeFunction): (pool: Knex, values: unknown[]) => Promise<QueryConfig> {
  const { name, parameters } = make;
  const text = `select * from ${name}(${parameters.map((type, index) => `$${index + 1}::${type}`).join(", ")})`;
  const created = new WeakMap<object, Promise<void>>();
  return async (pool, values) => {
    if (!created.has(pool.client)) created.set(pool.client, createOnNodes(pool, make));
    await created.get(pool.client)?.catch((error) => {
      created.delete(pool.client);
      throw error;
    });
    return { name, text, values };
  };
}

/** Creates the function on every node, unless it is there. Any number of processes may call it at once. */
async function createOnNodes(pool: Knex, { name, parameters, returns, settings, body }: NodeFunction): Promise<void> {
  await pool.transaction(async (transaction) => {
    await transaction.raw("set local lock_timeout = 0");
    await lockByName(transaction, "functions on nodes");
    const { rows } = await transaction.raw("select to_regproc(?) is not null as created", [name]);
    if (rows[0].created) return;
    const signature = `${name}(${parameters.join(", ")})`;
    const set = Object.entries(settings).map(([setting, value]) => ` set ${setting} = '${value}'`);
    // pg and not Knex sends it, for which a question mark would be a binding.
    await transaction.raw(
      `create function ${signature} returns table (${returns})
       language plpgsql${set.join("")} as $function$${body.replaceAll("?", "\\?")}$function$`,
    );
    await transaction.raw("select create_distributed_function(?, '$1', colocate_with => 'donations')", [signature]);
  });
}
