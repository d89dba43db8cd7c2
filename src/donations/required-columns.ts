// Checks at the start that the donations table has every column that the contract needs.

import type { Knex } from "knex";
import { columns } from "./columns.ts";

/** Throws an Error that names every column of columns.ts that the table lacks, and the statement that adds it. */
export async function requireColumns(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    "select attname as name from pg_attribute where attrelid = 'donations'::regclass and attnum > 0 and not attisdropped",
  );
  const existing = new Set(rows.map(({ name }) => name));
  const missing = Object.values(columns).flatMap(({ name, type }) => (existing.has(name) ? [] : `${name} ${type}`));
  if (missing.length === 0) return;
  const statement = `alter table donations add column ${missing.join(", add column ")};`;
  throw new Error(
    `the table donations lacks ${missing.length === 1 ? "a column" : "columns"} of src/donations/columns.ts: ` +
      "write a migration in src/db/migrations, with the next number and the line `-- compatible since …` of the one before it, such as  " +
      statement,
  );
}
