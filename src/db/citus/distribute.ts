// Distributes the tables of a database over the nodes of a Citus cluster, right after its migrations. What is distributed already is left alone.

import type { Knex } from "knex";
import { placed } from "./layout.ts";
import { functionsOfStreamers, functionsOnNodes, type Placement, placements } from "./placements.ts";

/** Does nothing on one server. Throws an Error that tells an operator what to do when the cluster is not prepared, and a programmer when a table has no placement. */
export const distribute = placed({ onServer: async () => {}, onNodes: distributeTables });

async function distributeTables(pool: Knex): Promise<void> {
  await requireCitus(pool);
  const tables = await readTables(pool);
  requirePlacements(tables.map(({ name }) => name));
  const left = tables.filter(({ name, isDistributed }) => !isDistributed && placements[name] !== "coordinator");
  if (left.length === 0) return;
  await pool.transaction(async (transaction) => {
    // Foreign keys between tables of which one is distributed already ask for one connection to each node.
    await transaction.raw("set local citus.multi_shard_modify_mode to 'sequential'");
    const names = left.map(({ name }) => name);
    const kept = await dropForeignKeys(transaction, names);
    const triggers = await dropTriggers(transaction, names.filter(isByStreamer));
    for (const name of Object.keys(placements)) if (names.includes(name)) await place(transaction, name, placements[name] as Placement);
    for (const definition of triggers) await transaction.raw(definition);
    for (const { table, name, definition } of kept)
      await transaction.raw("alter table ?? add constraint ?? ".concat(definition), [table, name]);
    for (const signature of functionsOfStreamers)
      await transaction.raw("select create_distributed_function(?, '$1', colocate_with => 'streamers')", [signature]);
    for (const signature of functionsOnNodes) await transaction.raw("select create_distributed_function(?)", [signature]);
  });
}

/** Throws an Error that names the tables nobody has said the placement of. */
export function requirePlacements(tables: readonly string[]): void {
  const missing = tables.filter((name) => !Object.hasOwn(placements, name));
  if (missing.length > 0)
    throw new Error(`Say in src/db/citus/placements.ts how the table ${missing.join(", ")} is distributed: by which column, or not.`);
}

async function requireCitus(pool: Knex): Promise<void> {
  const { rows: extension } = await pool.raw<{ rows: unknown[] }>("select from pg_extension where extname = 'citus'");
  if (extension.length === 0)
    throw new Error("DISTRIBUTE=citus needs the extension: run  create extension citus  in this database, on every node.");
  const { rows } = await pool.raw<{ rows: { node: string }[] }>(
    `select nodename || ':' || nodeport as node from run_command_on_all_nodes('show citus.enable_unsafe_triggers') r
     join pg_dist_node n using (nodeid) where result is distinct from 'on'`,
  );
  if (rows.length > 0)
    throw new Error(
      `Set  citus.enable_unsafe_triggers = on  in postgresql.conf of ${rows.map(({ node }) => node).join(", ")}: ` +
        "the triggers of alerts write to tables of the same streamer, which are on the same node.",
    );
}

type Table = Readonly<{ name: string; isDistributed: boolean }>;

async function readTables(pool: Knex): Promise<Table[]> {
  const { rows } = await pool.raw<{ rows: Table[] }>(
    `select c.relname as name, exists (select from pg_dist_partition p where p.logicalrelid = c.oid) as "isDistributed"
     from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')`,
  );
  return rows;
}

type ForeignKey = Readonly<{ table: string; name: string; target: string; definition: string }>;

/** Drops what refers to these tables, or from them to others. Resolves to what two tables of one streamer have between them. */
async function dropForeignKeys(transaction: Knex, names: readonly string[]): Promise<ForeignKey[]> {
  const { rows } = await transaction.raw<{ rows: ForeignKey[] }>(
    `select conrelid::regclass::text as "table", conname as name, confrelid::regclass::text as target, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and (conrelid::regclass::text = any(:names) or confrelid::regclass::text = any(:names))`,
    { names },
  );
  for (const { table, name } of rows) await transaction.raw("alter table ?? drop constraint ??", [table, name]);
  return rows.filter(({ table, target }) => isByStreamer(table) && isByStreamer(target));
}

/** Rows are copied to the nodes as if they were inserted, which must not fire anything. Resolves to what creates the triggers again. */
async function dropTriggers(transaction: Knex, names: readonly string[]): Promise<string[]> {
  const { rows } = await transaction.raw<{ rows: { table: string; name: string; definition: string }[] }>(
    `select tgrelid::regclass::text as "table", tgname as name, pg_get_triggerdef(oid) as definition
     from pg_trigger where not tgisinternal and tgrelid::regclass::text = any(?)`,
    [names],
  );
  for (const { table, name } of rows) await transaction.raw("drop trigger ?? on ??", [name, table]);
  return rows.map(({ definition }) => definition.replaceAll("?", "\\?"));
}

const isByStreamer = (table: string): boolean => typeof placements[table] === "object";

async function place(transaction: Knex, table: string, placement: Placement): Promise<void> {
  if (placement === "coordinator") return;
  if (placement === "coordinator, atomic") return void (await transaction.raw("select citus_add_local_table_to_metadata(?)", [table]));
  if (placement === "every node") return void (await transaction.raw("select create_reference_table(?)", [table]));
  if (placement.key) await replaceKey(transaction, table, placement.key);
  await dropGlobalKeys(transaction, table, placement.by);
  const together = table === "streamers" ? "none" : "streamers";
  await transaction.raw("select create_distributed_table(?, ?, colocate_with => ?)", [table, placement.by, together]);
}

async function replaceKey(transaction: Knex, table: string, columns: readonly string[]): Promise<void> {
  const names = columns.map(() => "??").join(", ");
  await transaction.raw(`alter table ?? drop constraint ??, add constraint ?? primary key (${names})`, [
    table,
    `${table}_pkey`,
    `${table}_pkey`,
    ...columns,
  ]);
}

/** A node knows only its own rows: what is unique over all streamers is kept in a table of the coordinator (streamer_handles). */
async function dropGlobalKeys(transaction: Knex, table: string, column: string): Promise<void> {
  const { rows } = await transaction.raw<{ rows: { name: string }[] }>(
    `select conname as name from pg_constraint where conrelid = ?::regclass and contype = 'u' and not conkey @> array[
       (select attnum from pg_attribute where attrelid = conrelid and attname = ?)]`,
    [table, column],
  );
  for (const { name } of rows) await transaction.raw("alter table ?? drop constraint ??", [table, name]);
}
