-- Streamers register OAuth clients themselves. A client without an owner is the operator's, or described by a document.
-- compatible since 0020
-- short table: oauth_clients

alter table oauth_clients add column owner_id uuid references streamers;
create index oauth_clients_of_owner on oauth_clients (owner_id, created_at) where owner_id is not null; -- a streamer's clients, and how many are new
