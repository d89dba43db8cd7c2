// The tables that a backup has.

import type { Client } from "pg";

export type Table = Readonly<{ name: string; columns: readonly string[] }>;

/** Made by migrations, which a restore runs itself. */
const excluded = ["knex_migrations", "knex_migrations_lock", "migration_checksums"];

/** All tables, each after those that it refers to. */
export async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `select c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
       array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
         where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as needs
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all($1) order by c.relname`,
    [excluded],
  );
  const ordered: Table[] = [];
  for (let left = rows; left.length > 0; ) {
    const ready = left.filter(({ needs }) => needs.every((need) => ordered.some(({ name }) => name === need)));
    if (ready.length === 0) throw new Error(`the tables ${left.map(({ name }) => name).join(", ")} refer to each other`);
    ordered.push(...ready.map(({ name, columns }) => ({ name, columns })));
    left = left.filter((row) => !ready.includes(row));
  }
  return ordered;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
