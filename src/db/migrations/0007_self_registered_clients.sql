-- Clients that registered themselves (RFC 7591). `expires_at`: one that no streamer has approved until then is deleted.
-- compatible since 0001

alter table oauth_clients
  add column self_registered boolean not null default false,
  add column expires_at timestamptz;
