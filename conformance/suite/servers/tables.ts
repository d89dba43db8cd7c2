// Reads and changes tables of our own server directly, where no operation can.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Operator, target } from "../values/target.ts";
import { databaseUrl } from "./database.ts";
import { withConnection } from "./with-connection.ts";

/** A row of a table, as the database client reads it: `bytea` as Buffers. */
type Row = Record<string, unknown>;

/** Rows of each table, unordered; `limit`: maximum number of rows per table. */
export async function rowsOfTables(operator: Operator, limit?: number): Promise<Map<string, Row[]>> {
  return onDatabase(operator, async (client) => {
    const tables = new Map<string, Row[]>();
    for (const table of await tableNames(client)) {
      const { rows } = await client.query(`select * from ${pg.escapeIdentifier(table)} limit $1`, [limit ?? null]);
      tables.set(table, rows);
    }
    return tables;
  });
}

/**
 * Simulates that time passes: moves every time in these tables into the past (`tables`: a pattern of SQL), by default in those of codes,
 * grants and refresh tokens. Access tokens contain their own times and do not change.
 */
export async function letTimePass(operator: Operator, seconds: number, tables = "oauth\\_%"): Promise<void> {
  await onDatabase(operator, async (client) => {
    const { rows } = await client.query(
      "select table_name, column_name from information_schema.columns where table_schema = 'public' and table_name like $1 and data_type = 'timestamp with time zone'",
      [tables],
    );
    for (const { table_name, column_name } of rows) {
      const [table, column] = [pg.escapeIdentifier(table_name), pg.escapeIdentifier(column_name)];
      await client.query(`update ${table} set ${column} = ${column} - $1 * interval '1 second'`, [seconds]);
    }
  });
}

/** Lets this time pass for what the table of our own server holds; on a server of someone else it waits. */
export async function passTime(seconds: number, table: string): Promise<void> {
  const { operator } = target();
  await (operator ? letTimePass(operator, seconds, table) : sleep(seconds * 1000));
}

/** Makes a waiting alert so much older. */
export async function ageAlert(operator: Operator, donationId: string, seconds: number): Promise<void> {
  await onDatabase(operator, (client) =>
    client.query("update alerts set received_at = now() - $2 * interval '1 second' where donation_id = $1", [donationId, seconds]),
  );
}

async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public' order by 1");
  return rows.map(({ tablename }) => tablename);
}

const onDatabase = async <T>({ env }: Operator, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection(await databaseUrl(env), work);
