-- What happened to one donation and its alert, as the studio's page of the donation tells it.
-- compatible since 0020
-- without a transaction
drop index concurrently if exists events_of_donation; -- an interrupted start leaves it invalid
create index concurrently events_of_donation on events (streamer_id, donation_id, sequence) where donation_id is not null;
