// What the program requires of a database and its server.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Layout } from "./citus/layout.ts";
import { connectionsPerProcess } from "./pools.ts";

type Settings = {
  version: number;
  version_name: string;
  fsync: string;
  synchronous_commit: string;
  encoding: string;
  ctype: string;
  name: string;
};

type Requirement = {
  /** `durability`: why commits survive a crash, as the operator attests. */
  isMet(settings: Settings, durability: string | null): boolean;
  describe(settings: Settings): string;
};

const requirements: Requirement[] = [
  {
    isMet: ({ version }) => version >= 150_000,
    describe: ({ version_name }) =>
      `the server is PostgreSQL ${version_name}, and 15 or later is needed: upgrade it, or leave DATABASE_URL unset to use the embedded one`,
  },
  {
    isMet: ({ fsync }, durability) => fsync === "on" || durability !== null,
    describe: ({ fsync }) =>
      `the server runs with fsync=${fsync}, so a crash can lose donations that were acknowledged: set fsync = on in its postgresql.conf and reload it; ` +
      "or, on an engine that keeps commits safe in another way, say how with DURABILITY=attested:REASON",
  },
  {
    isMet: ({ synchronous_commit }) => synchronous_commit !== "off",
    describe: ({ synchronous_commit }) =>
      `commits do not wait for the disk (synchronous_commit=${synchronous_commit}), so a crash can lose donations that were acknowledged: set synchronous_commit = on for the server, database and role`,
  },
  {
    isMet: ({ encoding }) => encoding === "UTF8",
    describe: ({ encoding, name }) => `the database "${name}" has the encoding ${encoding}, and UTF8 is needed: ${recreate(name)}`,
  },
  {
    isMet: ({ ctype }) => ctype !== "C" && ctype !== "POSIX",
    describe: ({ ctype, name }) => `the database "${name}" has LC_CTYPE ${ctype}, with which search finds no Thai text: ${recreate(name)}`,
  },
];

/**
 * Throws one Error when donations could be lost on this database or searches could fail. It names everything that is wrong, and what to do.
 * `durability`: why commits survive a crash whatever `fsync` says, as the operator attests.
 */
export async function requireSuitable(knex: Knex, durability: string | null = null): Promise<void> {
  const settings = await readSettings(knex);
  const faults = requirements.filter(({ isMet }) => !isMet(settings, durability)).map(({ describe }) => describe(settings));
  if (faults.length > 0) throw new Error(`This database cannot be used: ${faults.join("; ")}.`);
}

/** By what follows when it is off. */
const upkeep = {
  autovacuum: "rows that were changed or deleted are never removed, so the database grows and slows down",
  track_counts: "autovacuum does not learn which tables have changed, so the database grows and slows down",
} as const;

/** Says in the log what keeps PostgreSQL from its upkeep. Donations are recorded all the same. */
export async function warnOfNoUpkeep(knex: Knex, log: Logger): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: keyof typeof upkeep }[] }>(
    "select name from pg_settings where name = any(?) and setting = 'off' order by name",
    [Object.keys(upkeep)],
  );
  for (const { name } of rows)
    log.warn(
      `the database runs with ${name}=off: ${upkeep[name]}, and plans of queries are made for tables as they were long ago. Set ${name} = on in its postgresql.conf and reload it`,
    );
}

/** Connections that the primary itself may open. */
const primaryConnections = 5;

/** Throws an Error when the database, its server or the role allows fewer connections than this many workers may open. A pooler allows what it likes. */
export async function requireConnections(
  { knex, isPooled, layout }: Readonly<{ knex: Knex; isPooled: boolean; layout: Layout }>,
  workers: number,
): Promise<void> {
  if (isPooled) return;
  const perProcess = connectionsPerProcess(layout);
  const { rows } = await knex.raw<{ rows: { allowed: number }[] }>(
    `select least(
       (select sum(case name when 'max_connections' then setting::int else -setting::int end)::int
        from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')),
       (select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
       (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed`,
  );
  const allowed = rows[0]?.allowed ?? 0;
  const needed = workers * perProcess + primaryConnections;
  if (needed <= allowed) return;
  throw new Error(
    `${workers} workers may open ${needed} connections (${perProcess} each), and the database allows ${allowed}: ` +
      "raise its max_connections, or the connection limit of the role or database, or lower WORKERS",
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
  return `create it again with  create database "${name}" template template0 encoding 'UTF8' locale 'C.UTF-8'`;
}
