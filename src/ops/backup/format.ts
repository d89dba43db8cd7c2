// The format of a backup: a gzipped SQL script of data, as psql reads it, for a schema that the migrations named in it have made.
//
//   -- namjai backup 1
//   -- { "madeAt": …, "migrations": [ … ] }
//   copy "donations" ("streamer_id", …) from stdin;
//   …
//   \.
//   -- journal { … }      an entry of the journal of erasures
//   -- end                a file without it is not whole
//
// It has all tables but those that migrations make, which a restore runs itself.

import pg from "pg";
import { addressForDriver } from "../../config-tls.ts";

export const firstLine = "-- namjai backup 1";
export const journalMark = "-- journal ";
export const lastLine = "-- end";
export const endOfCopy = "\\.";

/** `madeAt`: RFC 3339. `migrations`: their names, in the order in which they were applied. */
export type Manifest = Readonly<{ madeAt: string; migrations: readonly string[] }>;

const newline = 10;

/** Splits a stream into its lines, without their ends; no other character ends a line. */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]);
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

type Table = Readonly<{ name: string; columns: readonly string[] }>;

/** Written by migrations. */
const excluded = "schema_migrations";

/** All tables, each after those that it refers to. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(
    `select c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
       array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
         where k.conrelid = c.oid and k.contype = 'f' and r.oid <> c.oid) as needs
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> $1 order by c.relname`,
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

/** Rejects when there is no connection. One that is lost later fails the query under way, and does not end the process. */
export async function connect(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: addressForDriver(url), application_name: applicationName });
  client.on("error", () => {}); // without a listener an error of the socket would end the process
  await client.connect();
  return client;
}
