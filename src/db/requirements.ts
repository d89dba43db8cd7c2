import type { Knex } from "knex";
import { connectionsPerProcess } from "./pools.ts";

interface Settings {
  version: number;
  version_name: string;
  fsync: string;
  synchronous_commit: string;
  encoding: string;
  ctype: string;
  name: string;
}

interface Requirement {
  met(found: Settings): boolean;
  complaint(found: Settings): string;
}

const requirements: Requirement[] = [
  {
    met: ({ version }) => version >= 150_000,
    complaint: ({ version_name }) =>
      `the server is PostgreSQL ${version_name}, and 15 or later is needed: upgrade it, or leave DATABASE_URL unset to use the embedded one`,
  },
  {
    met: ({ fsync }) => fsync === "on",
    complaint: ({ fsync }) =>
      `the server runs with fsync=${fsync}, so a crash can lose donations that were acknowledged: set fsync = on in its postgresql.conf and reload it`,
  },
  {
    met: ({ synchronous_commit }) => synchronous_commit !== "off",
    complaint: ({ synchronous_commit }) =>
      `commits do not wait for the disk (synchronous_commit=${synchronous_commit}), so a crash can lose donations that were acknowledged: set synchronous_commit = on for the server, database and role`,
  },
  {
    met: ({ encoding }) => encoding === "UTF8",
    complaint: ({ encoding, name }) => `the database "${name}" has the encoding ${encoding}, and UTF8 is needed: ${recreate(name)}`,
  },
  {
    met: ({ ctype }) => ctype !== "C" && ctype !== "POSIX",
    complaint: ({ ctype, name }) => `the database "${name}" has LC_CTYPE ${ctype}, with which search finds no Thai text: ${recreate(name)}`,
  },
];

/**
 * Refuses a database on which donations could be lost or searches fail.
 * Throws one Error naming everything that was found and what to do about it.
 */
export async function requireSuitable(knex: Knex): Promise<void> {
  const found = await readSettings(knex);
  const complaints = requirements.filter(({ met }) => !met(found)).map(({ complaint }) => complaint(found));
  if (complaints.length > 0) throw new Error(`This database cannot be used: ${complaints.join("; ")}.`);
}

/** What the process that leads the others may open itself. */
const ownConnections = 5;

/** Refuses a server that has not enough connections for so many workers at their busiest. */
export async function requireConnections(knex: Knex, workers: number): Promise<void> {
  const { rows } = await knex.raw<{ rows: { allowed: number }[] }>(
    `select sum(case name when 'max_connections' then setting::int else -setting::int end)::int as allowed
     from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
  );
  const allowed = rows[0]?.allowed ?? 0;
  const needed = workers * connectionsPerProcess + ownConnections;
  if (needed <= allowed) return;
  throw new Error(
    `${workers} workers may open ${needed} connections (${connectionsPerProcess} each), and the database allows ${allowed}: ` +
      "raise its max_connections, or lower WORKERS",
  );
}

async function readSettings(knex: Knex): Promise<Settings> {
  const { rows } = await knex.raw<{ rows: Settings[] }>(`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as version_name,
      current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
      pg_encoding_to_char(encoding) as encoding, datctype as ctype, datname as name
    from pg_database where datname = current_database()`);
  return rows[0]!;
}

function recreate(name: string): string {
  return `create it anew with  create database "${name}" template template0 encoding 'UTF8' locale 'C.UTF-8'`;
}
