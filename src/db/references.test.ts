// Ids by which rows of one table name rows of another.

import { expect, test } from "vitest";
import { useDatabase } from "./testing.ts";

const database = useDatabase();

/** Their rows are never deleted. What names one always names something. */
const lasting = ["streamers", "applications", "donations", "imports"];

/** Columns whose rows are deleted otherwise, each with how. */
const exceptions: Readonly<Record<string, string>> = {
  "webhook_deliveries.endpoint_id": "an endpoint that is marked as deleted goes after its deliveries",
  "webhook_deliveries.event_id": "events and deliveries are both kept for a number of days",
  "webhook_endpoints.worker_id": "a worker that is gone has lost its endpoints to the others",
};

test("a column that names a row which may be deleted has a foreign key: no id is left of what is gone", async () => {
  const tables: string[] = await database.knex("pg_tables").where("schemaname", "public").pluck("tablename");
  const { rows } = await database.knex.raw<{ rows: { table: string; column: string }[] }>(
    `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname like '%\\_id' and not exists (
       select from pg_constraint k where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey))`,
  );
  const named = ({ column }: { column: string }) => {
    const rows = `${column.slice(0, -"_id".length)}s`;
    return tables.includes(rows) ? rows : tables.find((table) => table.endsWith(`_${rows}`));
  };
  const open = rows.filter((row) => !lasting.includes(named(row) ?? "streamers")).map(({ table, column }) => `${table}.${column}`);
  expect(open.sort(), "add a foreign key, or a line to exceptions").toEqual(Object.keys(exceptions).sort());
});
