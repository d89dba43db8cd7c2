// What the baseline asks of the database; pgbench runs its insert without a server in front.

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
