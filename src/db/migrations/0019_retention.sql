-- Retention: for how many days after it was recorded a donation keeps what its donator wrote.
alter table streamers
  add column retention_days integer check (retention_days > 0), -- null: for ever
  add column retained_after bigint not null default 0; -- every donation up to this sequence is erased by age
create index streamers_retention on streamers (id) where retention_days is not null; -- whose donations are erased by age
