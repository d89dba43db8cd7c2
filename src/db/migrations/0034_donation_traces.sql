-- The trace of a donation, for what happens to it later in any process: its alert, its speech, its webhooks. Empty while nothing is traced.
-- compatible since 0020
create table donation_traces (
  donation_id uuid primary key,
  traceparent text not null, -- W3C Trace Context
  kept_at timestamptz not null default now()
);
create index donation_traces_age on donation_traces (kept_at); -- old ones are deleted
