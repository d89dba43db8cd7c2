// Whether the database can hold what the contract's donations hold: asked once, at the start.

import type { Knex } from "knex";
import { columns } from "./columns.ts";

/** Throws an Error that names every column of columns.ts that the table lacks: without it each create would fail. */
export async function requireColumns(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    "select attname as name from pg_attribute where attrelid = 'donations'::regclass and attnum > 0 and not attisdropped",
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = Object.values(columns).flatMap(({ name, type }) => (there.has(name) ? [] : `${name} ${type}`));
  if (missing.length === 0) return;
  const statement = `alter table donations add column ${missing.join(", add column ")};`;
  throw new Error(
    `the table donations lacks ${missing.length === 1 ? "a column" : "columns"} of src/donations/columns.ts: ` +
      `write a migration in src/db/migrations, such as  ${statement}`,
  );
}
