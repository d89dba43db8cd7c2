// Two histories of the same density among fifty small ones, on a fresh database: written, and taken up by the server's workers or by the rebuild
// commands. A history that is longer than these can fold in good time is rolled up at once: folding it as the workers do takes an hour for twenty
// million donations, because every row is looked up before it is written. Here the indexes are made afterwards, and a year is added up at a time.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { addKey, addStreamer, cliApart } from "../../suite/client/operator.ts";
import type { Operator } from "../../suite/values/target.ts";
import type { Cleanup } from "../program.ts";
import { count } from "./measure.ts";
import { type History, prepareWords, seed, withFewIndexes } from "./seed.ts";
import { connected, type DatabaseOptions, openDatabase, type Setting, type Side } from "./setting.ts";

type Options = DatabaseOptions & { rows: Record<Side, number> };

type Rebuilt = { notes: string[]; rows: number; connect: () => Promise<pg.Client>; ended: AbortSignal };

type Year = { id: string; from: string; to: string };

const smallStreamers = 50;

/** Adds everything that it creates to `cleanup`, so that the database is dropped at the end, unless it is to be kept. */
export async function prepare({ rows, databaseUrl: given, reuse, keep }: Options, cleanup: Cleanup): Promise<Setting> {
  const { env, serve, first, url, client } = await openDatabase({ databaseUrl: given, reuse, keep }, cleanup);
  const operator = { env, handle: "smaller" };
  const notes: string[] = [];
  if (!reuse) {
    for (const handle of ["smaller", "larger", "busy", "busier"]) await addStreamer(operator, handle);
    await seedSmall(client, { handle: "smaller", rows: rows.smaller }, notes);
  }
  await first.stop(); // the bench's own connection keeps an embedded PostgreSQL up
  const connect = () => connected(url);
  if (!reuse)
    await seedLarge(
      client,
      { handle: "larger", rows: rows.larger },
      () => rebuild(operator, { notes, rows: rows.larger, connect, ended: cleanup.ended }),
      notes,
    );
  const key = (handle: string) => addKey(operator, handle, "write:donations read:donations");
  return {
    rows: { smaller: await countOf(client, "smaller"), larger: await countOf(client, "larger") },
    keys: { smaller: await key("smaller"), larger: await key("larger"), busy: await key("busy"), busier: await key("busier") },
    notes,
    client,
    serve,
    databaseUrl: url,
    operator,
  };
}

/** The workers of the running server process the donations. */
async function seedSmall(client: pg.Client, history: History, notes: string[]): Promise<void> {
  await prepareWords(client);
  await client.query(
    `with made as (insert into streamers (id) select unnest($1::uuid[]))
     insert into streamer_handles (streamer_id, handle) select u, 'other-' || n from unnest($1::uuid[]) with ordinality as o(u, n)`,
    [Array.from({ length: smallStreamers }, () => randomUUID())],
  );
  for (let number = 1; number <= smallStreamers; number += 1) await seed(client, { handle: `other-${number}`, rows: number * 20 });
  await timed(notes, `seeded ${count(history.rows)} donations`, history.rows, () => seed(client, history));
  await timed(notes, `the server's roll-up worker took ${count(history.rows)} in`, history.rows, () => caughtUp(client, history, rolledUp));
  await timed(notes, `the server's search worker took ${count(history.rows)} in, counted from then on`, history.rows, () =>
    caughtUp(client, history, indexed),
  );
}

/** The server is stopped, as for an import: the rebuild commands process the donations. */
async function seedLarge(client: pg.Client, history: History, takeUp: () => Promise<void>, notes: string[]): Promise<void> {
  await timed(notes, `seeded ${count(history.rows)} donations`, history.rows, () => withFewIndexes(client, () => seed(client, history)));
  await takeUp();
  await timed(notes, "vacuum analyze, checkpoint", null, async () => {
    await client.query("vacuum analyze");
    await client.query("checkpoint").catch(() => {}); // not everybody may
  });
}

/** A longer history is rolled up in bulk: to fold it would take hours. */
const maxFolded = 5_000_000;
const bulkConnections = 4;

async function rebuild(operator: Operator, { notes, rows, connect, ended }: Rebuilt): Promise<void> {
  const one = (title: string, work: () => Promise<unknown>) => timed(notes, title, rows, work);
  await Promise.all([
    rows <= maxFolded
      ? one("reports rebuild --streamer larger", () => cliApart(operator, ["reports", "rebuild", "--streamer", "larger"], ended))
      : one("rolled up in bulk", () => rollUpAtOnce(connect, ["larger"], bulkConnections)),
    one("search rebuild (all streamers), at the same time", () => cliApart(operator, ["search", "rebuild"], ended)),
  ]);
}

const rolledUp =
  "select coalesce((select rolled_sequence from report_progress where streamer_id = h.streamer_id), 0) as reached from streamer_handles h where handle = $1";
const indexed =
  "select coalesce(max(last_sequence), 0) + 255 as reached from donation_search_blocks where streamer_id = (select streamer_id from streamer_handles where handle = $1)";

/** Waits until the server's workers have processed all donations. */
export async function untilCaughtUp(client: pg.Client, history: History): Promise<void> {
  await caughtUp(client, history, rolledUp);
  await caughtUp(client, history, indexed);
}

async function caughtUp(client: pg.Client, { handle, rows }: History, question: string): Promise<void> {
  for (;;) {
    const answer = await client.query(question, [handle]);
    if (Number(answer.rows[0].reached) >= rows) return;
    await sleep(200);
  }
}

async function timed(notes: string[], title: string, rows: number | null, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1_000;
  const note = `${title}: ${seconds.toFixed(1)} s${rows === null ? "" : `, ${count(Math.round(rows / seconds))}/s`}`;
  console.log(note);
  notes.push(note);
}

async function countOf(client: pg.Client, handle: string): Promise<number> {
  const { rows } = await client.query(
    "select last_sequence from streamers where id = (select streamer_id from streamer_handles where handle = $1)",
    [handle],
  );
  return Number(rows[0].last_sequence);
}

const tables = ["report_sums", "report_donator_sums", "report_donator_counts", "report_classes", "report_amounts"] as const;

/** Makes the roll-ups of these streamers, which must have none, on `workers` connections. No other process may fold meanwhile. */
async function rollUpAtOnce(connect: () => Promise<pg.Client>, handles: readonly string[], workers: number): Promise<void> {
  const clients = await Promise.all(Array.from({ length: workers }, () => connect()));
  const [client] = clients as [pg.Client];
  for (const one of clients)
    await one.query("set work_mem = '256MB'; set maintenance_work_mem = '512MB'; set jit = off; set synchronous_commit = off");
  for (const table of tables) await client.query(`alter table ${table} drop constraint if exists ${table}_pkey`);
  const { rows } = await client.query<{ id: string }>("select streamer_id as id from streamer_handles where handle = any($1::text[])", [
    handles,
  ]);
  await client.query(largerTables);
  const years: Year[] = [];
  for (const { id } of rows) years.push(...(await begin(client, id)));
  await Promise.all(
    clients.map(async (one) => {
      for (let year = years.pop(); year; year = years.pop()) await rollUpYear(one, year);
    }),
  );
  for (const { id } of rows) for (const sql of allSql) await client.query(sql.replaceAll("@id", `'${id}'::uuid`));
  await client.query("drop table bench_sums, bench_donators, bench_amounts");
  await Promise.all(
    clients.map(async (one, index) => {
      for (const table of tables.filter((_, place) => place % workers === index))
        await one.query(`alter table ${table} add primary key (${keys[table]})`);
    }),
  );
  await client.query(progressSql, [rows.map(({ id }) => id)]);
  for (const one of clients) await one.end();
}

const keys: Record<(typeof tables)[number], string> = {
  report_sums: "streamer_id, grain, period, source, channel",
  report_donator_sums: "streamer_id, grain, period, donator, source",
  report_donator_counts: "streamer_id, grain, period, sources",
  report_classes: "streamer_id, grain, period, source, class",
  report_amounts: "streamer_id, grain, period, source, class, amount",
};

/** Numbers the donators, and returns the years of the history. */
async function begin(client: pg.Client, id: string): Promise<Year[]> {
  await client.query(
    `insert into report_donators (streamer_id, key, donator)
     select streamer_id, donator_key, row_number() over (order by min(sequence)) from donations where streamer_id = $1 group by 1, 2`,
    [id],
  );
  const { rows } = await client.query<Year>(
    `select $1 as id, y::text as from, (y + interval '1 year')::text as to
     from generate_series(
       (select date_trunc('year', min(created_at) at time zone interval '07:00') from donations where streamer_id = $1),
       (select max(created_at) at time zone interval '07:00' from donations where streamer_id = $1), interval '1 year') y`,
    [id],
  );
  return rows;
}

async function rollUpYear(client: pg.Client, { id, from, to }: Year): Promise<void> {
  await client.query("drop table if exists chunk");
  await client.query(chunkSql(id, from, to));
  for (const sql of [sumsSql, donatorsSql, amountsSql]) await client.query(sql.replaceAll("@id", `'${id}'::uuid`));
}

const progressSql = `
  insert into report_progress (streamer_id, rolled_sequence, donators)
  select id, last_sequence, (select count(*) from report_donators where streamer_id = id) from streamers where id = any($1::uuid[])
  on conflict (streamer_id) do update set rolled_sequence = excluded.rolled_sequence, donators = excluded.donators`;

// What is not within one year (all time, and the weeks at its ends) is gathered here and added up at the end.
const largerTables = `
  drop table if exists bench_sums, bench_donators, bench_amounts;
  create unlogged table bench_sums (like report_sums);
  create unlogged table bench_donators (like report_donator_sums);
  create unlogged table bench_amounts (like report_amounts)`;

const chunkSql = (id: string, from: string, to: string) => `
  create temporary table chunk as
  select d.*, row_number() over (order by created_at, sequence)::int as place, row_number() over (order by amount, sequence)::int as size,
    floor(quarter / 4.0)::int as hour, floor((quarter + 28) / 96.0)::int as day, floor((floor((quarter + 28) / 96.0) + 3) / 7)::int as week,
    extract(year from at)::int as year, (extract(year from at) * 12 + extract(month from at) - 1)::int as month
  from (
    select sequence, r.donator, amount, source, channel, created_at, floor(to_millis(created_at)::float8 / 900000)::int as quarter,
      created_at at time zone interval '07:00' as at
    from donations d join report_donators r on r.streamer_id = d.streamer_id and r.key = d.donator_key
    where d.streamer_id = '${id}' and created_at >= timestamptz '${from}+07' and created_at < timestamptz '${to}+07'
  ) d`;

const sumsSql = `
  with made as (
    select case when quarter is not null then 1 when hour is not null then 2 when day is not null then 3 when month is not null then 5 else 6 end as grain,
      coalesce(quarter, hour, day, month, year) as period, source, channel, count(*), sum(amount) as amount, min(amount) as smallest,
      max(size) as size, max(place) as place
    from chunk group by grouping sets ((quarter, source, channel), (hour, source, channel), (day, source, channel), (month, source, channel), (year, source, channel))
  ), larger as (
    insert into bench_sums select @id, m.grain, m.period, m.source, m.channel, m.count, m.amount, m.smallest, l.amount, l.sequence, t.created_at, t.sequence
    from made m join chunk l on l.size = m.size join chunk t on t.place = m.place where grain = 6
  )
  insert into report_sums select @id, m.grain, m.period, m.source, m.channel, m.count, m.amount, m.smallest, l.amount, l.sequence, t.created_at, t.sequence
  from made m join chunk l on l.size = m.size join chunk t on t.place = m.place order by m.grain, m.period, m.source, m.channel`;

const countsOf = (from: string) => `
  insert into report_donator_counts select @id, grain, period, sources, count(*) from (
    select grain, period, donator, bit_or(source_bit(source)) as sources from ${from} group by grain, period, donator
  ) d group by grain, period, sources order by grain, period, sources`;

const donatorsSql = `
  with made as (
    select case when hour is not null then 2 when day is not null then 3 when week is not null then 4 when month is not null then 5 else 6 end as grain,
      coalesce(hour, day, week, month, year) as period, donator, source, count(*), sum(amount) as amount, min(place) as first, max(place) as place
    from chunk group by grouping sets ((hour, donator, source), (day, donator, source), (week, donator, source), (month, donator, source), (year, donator, source))
  ), whole as materialized (
    select @id, m.grain, m.period, m.donator, m.source, m.count, m.amount, f.created_at as first_at, t.created_at as last_at, t.sequence
    from made m join chunk f on f.place = m.first join chunk t on t.place = m.place order by m.grain, m.period, m.donator, m.source
  ), edge as (select min(week) as first, max(week) as last from chunk
  ), larger as (insert into bench_donators select whole.* from whole, edge where grain = 6 or grain = 4 and period in (first, last)
  ), counted as (${countsOf("whole, edge where grain <> 4 or period not in (first, last)")})
  insert into report_donator_sums select whole.* from whole, edge where grain <> 4 or period not in (first, last)`;

const amountsSql = `
  with made as materialized (
    select case when day is not null then 3 when month is not null then 5 else 6 end as grain, coalesce(day, month, year) as period,
      source, amount_class(amount) as class, amount, count(*)
    from chunk group by grouping sets ((day, source, amount), (month, source, amount), (year, source, amount))
  ), larger as (insert into bench_amounts select @id, * from made where grain = 6
  ), classed as (
    insert into report_classes select @id, grain, period, source, class, sum(count) from made group by grain, period, source, class
    order by grain, period, source, class
  )
  insert into report_amounts select @id, * from made order by grain, period, source, class, amount`;

const allSql = [
  `insert into report_sums select @id, 7, 0, source, channel, sum(count), sum(amount), min(smallest),
     (array_agg(largest order by largest desc, largest_sequence desc))[1], (array_agg(largest_sequence order by largest desc, largest_sequence desc))[1],
     max(last_at), (array_agg(last_sequence order by last_at desc, last_sequence desc))[1]
   from bench_sums where streamer_id = @id group by source, channel`,
  `with whole as materialized (
     select @id, case when grain = 4 then 4 else 7 end as grain, case when grain = 4 then period else 0 end as period, donator, source,
       sum(count) as count, sum(amount) as amount, min(first_at), max(last_at), (array_agg(last_sequence order by last_at desc, last_sequence desc))[1]
     from bench_donators where streamer_id = @id group by 2, 3, 4, 5
   ), counted as (${countsOf("whole")})
   insert into report_donator_sums select * from whole order by grain, period, donator, source`,
  `insert into report_classes select @id, 7, 0, source, class, sum(count) from bench_amounts where streamer_id = @id group by source, class`,
  `insert into report_amounts select @id, 7, 0, source, class, amount, sum(count) from bench_amounts where streamer_id = @id group by source, class, amount`,
];
