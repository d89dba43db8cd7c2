// What the baseline asks of the database, and how it reads: each question is one named prepared statement over the donations themselves, with the
// indexes that it needs. pgbench runs its insert without a server in front.

import type { FastifyInstance } from "fastify";
import type pg from "pg";

declare module "fastify" {
  interface FastifyRequest {
    scopes: string;
  }
}

export type DonationRow = {
  id: string;
  donator_name: string;
  amount: string;
  message: string;
  identifier: string | null;
  idempotency_key: string | null;
  skip_alert: boolean;
  created_at: Date;
  received_at: Date;
};

type Range = { from?: string; to?: string };

const columns = "id, donator_name, amount, message, identifier, idempotency_key, skip_alert, created_at, received_at";

const searched = "(donator_name || ' ' || message || ' ' || coalesce(identifier, ''))";

/** Copies all donations into the baseline's own table, with the index that its search needs. */
export const copyDonations = `
  create extension if not exists pg_trgm;
  insert into baseline_donations (account_id, donator_name, amount, message, identifier, idempotency_key, skip_alert, created_at, received_at)
  select account, donator_name, amount, message, identifier, idempotency_key, skip_alert, created_at, received_at
  from donations join (select streamer_id, row_number() over (order by handle <> 'busy', handle) as account from streamer_handles) a using (streamer_id)
  where source <> 'test' order by sequence;
  create index on baseline_donations using gin (${searched} gin_trgm_ops);
  analyze baseline_donations`;

const statements = {
  me: "select id::text, name as handle from baseline_accounts where id = 1",
  get: `select ${columns} from baseline_donations where account_id = 1 and id = $1`,
  list: `select ${columns} from baseline_donations where account_id = 1 order by created_at desc, id desc limit $1`,
  listAfter: `select ${columns} from baseline_donations where account_id = 1 and (created_at, id) < ($2, $3)
    order by created_at desc, id desc limit $1`,
  search: `select ${columns} from baseline_donations where account_id = 1 and ${searched} ilike '%' || $2 || '%'
    order by created_at desc, id desc limit $1`,
  stats: `select count(*)::int as count, sum(amount) as total, round(avg(amount), 2) as average, min(amount), max(amount),
      percentile_cont(0.5) within group (order by amount::float8) as median, count(distinct coalesce(identifier, donator_name))::int as donators
    from baseline_donations where account_id = 1 and created_at >= $1 and created_at < $2`,
  periods: `select count(*) filter (where created_at >= $1)::int as today, sum(amount) filter (where created_at >= $1) as today_total,
      count(*) filter (where created_at >= $2)::int as week, sum(amount) filter (where created_at >= $2) as week_total,
      count(*) filter (where created_at >= $3)::int as month, sum(amount) filter (where created_at >= $3) as month_total
    from baseline_donations where account_id = 1 and created_at >= $3`,
  top: `select max(donator_name) as name, sum(amount) as total, count(*)::int as count, round(avg(amount), 2) as average,
      min(created_at) as first, max(created_at) as last
    from baseline_donations where account_id = 1 and created_at >= $1 and created_at < $2
    group by coalesce(identifier, donator_name) order by sum(amount) desc, max(created_at) desc limit 10`,
  trends: `select day, coalesce(sum(amount), 0) as total
    from generate_series($1::timestamptz, $2::timestamptz - interval '1 day', interval '1 day') day
    left join baseline_donations d on d.account_id = 1 and d.created_at >= day and d.created_at < day + interval '1 day'
    group by day order by day`,
} as const;

/** The donation as the baseline answers it. */
export function answerOf(row: DonationRow) {
  return {
    id: String(row.id),
    donatorName: row.donator_name,
    amount: Number(row.amount),
    currency: "THB",
    message: row.message,
    identifier: row.identifier,
    idempotencyKey: row.idempotency_key,
    skipAlert: row.skip_alert,
    createdAt: row.created_at.toISOString(),
    receivedAt: row.received_at.toISOString(),
  };
}

/** Adds the reading operations to the baseline. */
export function addReads(app: FastifyInstance, pool: pg.Pool): void {
  const ask = async <Row extends pg.QueryResultRow>(name: keyof typeof statements, values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ name, text: statements[name], values })).rows;

  app.get("/api/v1/me", async ({ scopes }) => {
    const [streamer] = await ask("me", []);
    return { data: { streamer, scopes: scopes.split(" ") } };
  });
  app.get<{ Params: { id: string } }>("/api/v1/donations/:id", async ({ params }, reply) => {
    const [row] = await ask<DonationRow>("get", [params.id]);
    return row ? { data: answerOf(row) } : reply.code(404).send({ code: "donation_not_found" });
  });
  app.get<{ Querystring: { limit?: number; cursor?: string } }>("/api/v1/donations", async ({ query: { limit = 20, cursor } }) => {
    const rows = cursor
      ? await ask<DonationRow>("listAfter", [Number(limit) + 1, ...(JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[])])
      : await ask<DonationRow>("list", [Number(limit) + 1]);
    return pageOf(rows, Number(limit));
  });
  app.get<{ Querystring: { q: string; limit?: number } }>("/api/v1/donations/search", async ({ query: { q, limit = 20 } }) =>
    pageOf(await ask<DonationRow>("search", [Number(limit) + 1, q]), Number(limit)),
  );
  app.get<{ Querystring: Range }>("/api/v1/donations/stats", async ({ query }) => {
    const [[figures], [periods]] = await Promise.all([ask("stats", rangeOf(query)), ask("periods", [daysAgo(0), daysAgo(6), daysAgo(29)])]);
    return { data: { ...figures, ...periods } };
  });
  app.get<{ Querystring: Range }>("/api/v1/donations/top-donators", async ({ query }) => ({
    data: { donators: await ask("top", rangeOf(query)) },
  }));
  app.get<{ Querystring: Range }>("/api/v1/donations/trends/amount", async () => ({
    data: { points: await ask("trends", [daysAgo(29), daysAgo(-1)]) },
  }));
}

function pageOf(rows: DonationRow[], limit: number) {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const nextCursor = last ? Buffer.from(JSON.stringify([last.created_at, last.id])).toString("base64url") : null;
  return { data: page.map(answerOf), pagination: { nextCursor, hasMore: last !== undefined, limit } };
}

const msPerDay = 86_400_000;

/** Midnight in Bangkok, so many days ago. */
function daysAgo(days: number): Date {
  const offset = 7 * 3_600_000;
  return new Date(Math.floor((Date.now() + offset) / msPerDay - days) * msPerDay - offset);
}

function rangeOf({ from, to }: Range): [Date, Date] {
  const start = from ? new Date(from.includes("T") ? from : `${from}T00:00+07:00`) : new Date(0);
  return [start, to ? new Date(Date.parse(`${to}T00:00+07:00`) + msPerDay) : daysAgo(-1)];
}

export const tables = `
  drop table if exists baseline_outbox, baseline_donations, baseline_accounts;
  create table baseline_accounts (id int primary key, name text not null);
  insert into baseline_accounts values (1, 'busy');
  create table baseline_donations (
    id bigint generated always as identity primary key, account_id int not null, donator_name text not null, amount numeric not null,
    message text not null, identifier text, idempotency_key text, skip_alert boolean not null,
    created_at timestamptz not null, received_at timestamptz not null default now());
  create unique index on baseline_donations (account_id, idempotency_key) where idempotency_key is not null;
  create index on baseline_donations (account_id, created_at desc, id desc);
  create table baseline_outbox (id bigint generated always as identity primary key, donation_id bigint not null, payload jsonb not null)`;

export const insert = `
  with donation as (
    insert into baseline_donations (account_id, donator_name, amount, message, identifier, idempotency_key, skip_alert, created_at)
    values (1, $1, $2, $3, $4, $5, $6, coalesce($7::timestamptz, now()))
    on conflict (account_id, idempotency_key) where idempotency_key is not null do nothing
    returning *),
  effect as (insert into baseline_outbox (donation_id, payload) select id, to_jsonb(donation) from donation)
  select * from donation`;

export const replay = "select * from baseline_donations where account_id = 1 and idempotency_key = $1";
