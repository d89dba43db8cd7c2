-- Void donations: money that came back, or that never came. They stay, and count nowhere.
alter table donations
  add column voided_at timestamptz, -- null: it is not void
  add column void_reason text,
  add column void_note text;

-- The few void donations of a streamer, in each order of lists. The first one also tells whether a donation is void without reading its row.
create index donations_voided on donations (streamer_id, sequence) where voided_at is not null; -- list by receivedAt
create index donations_voided_created_at on donations (streamer_id, created_at, sequence) where voided_at is not null; -- list by createdAt
create index donations_voided_amount on donations (streamer_id, amount, sequence) where voided_at is not null; -- list by amount
