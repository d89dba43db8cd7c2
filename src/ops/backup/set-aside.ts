// Keeps what a database has until something else is complete in its place, and brings it back when that fails.

import type { Knex } from "knex";

const aside = "replaced_by_restore";
const failed = "failed_restore";

/**
 * Runs `load` with everything out of the way that the schema `public` has. Drops that afterwards, or brings it back and rejects with the error
 * of `load`. Privileges of the schema and its extensions stay. The database needs room for both.
 */
export async function withEmptySchema<Result>(knex: Knex, load: () => Promise<Result>): Promise<Result> {
  await rejectBrokenOff(knex);
  await knex.transaction((trx) => moveAll(trx, "public", aside));
  try {
    const result = await load();
    await knex.raw(`drop schema ${aside} cascade`);
    return result;
  } catch (error) {
    await knex.transaction(async (trx) => {
      await moveAll(trx, "public", failed);
      await trx.raw(`drop schema ${failed} cascade`);
      await moveAll(trx, aside, "public");
      await trx.raw(`drop schema ${aside}`);
    });
    throw error;
  }
}

/** Nobody but the operator knows which of the two is wanted: a killed restore may have been complete. */
async function rejectBrokenOff(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: unknown[] }>("select from pg_namespace where nspname = ?", [aside]);
  if (rows.length > 0)
    throw new Error(
      `A restore into this database was broken off: the schema ${aside} has what was there before. ` +
        `Bring it back with "drop schema public cascade; alter schema ${aside} rename to public", or drop it with "drop schema ${aside} cascade".`,
    );
}

/** Tables with all that belongs to them, functions and types. */
async function moveAll(trx: Knex.Transaction, from: string, to: string): Promise<void> {
  await trx.raw(`create schema if not exists ${to}`);
  const { rows } = await trx.raw<{ rows: { statement: string }[] }>(movesSql, { from, to });
  for (const { statement } of rows) await trx.raw(statement);
}

/** What belongs to an extension or to a table moves with it, or not at all. */
const movesSql = `
  select format('alter table %s set schema %I', oid::regclass, :to::text) as statement from pg_class
  where relnamespace = :from::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not exists (
    select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and (deptype = 'e' or relkind = 'S' and deptype in ('a', 'i')))
  union all
  select format('alter routine %s set schema %I', oid::regprocedure, :to::text) from pg_proc
  where pronamespace = :from::regnamespace
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
  union all
  select format('alter type %s set schema %I', oid::regtype, :to::text) from pg_type
  where typnamespace = :from::regnamespace and (typtype in ('e', 'd', 'r') or typtype = 'c'
      and exists (select from pg_class where pg_class.oid = typrelid and relkind = 'c'))
    and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = pg_type.oid and deptype = 'e')`;
