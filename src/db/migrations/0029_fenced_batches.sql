-- Batches of donations whose connection was lost: a statement that arrives later finds its batch here and records nothing.
-- compatible since 0020
alter table streamers add column fenced_batches uuid[];
