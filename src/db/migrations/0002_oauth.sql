-- OAuth: how streamers log in, which applications they let in, and what was handed out. Secrets are stored as hashes only.

create table streamer_passwords (
  streamer_id uuid primary key references streamers,
  hash bytea not null,
  salt bytea not null,
  parameters jsonb not null, -- of scrypt, as they were when the hash was made
  changed_at timestamptz not null default now()
);

-- A streamer who is logged in. The cookie's SHA-256.
create table sessions (
  hash bytea primary key,
  streamer_id uuid not null references streamers,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_expiry on sessions (expires_at); -- cleaning up

create table oauth_clients (
  id text primary key,
  application_id uuid not null references applications,
  public boolean not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  removed_at timestamptz
);

-- Two may be active while a client moves from one to the next.
create table oauth_client_secrets (
  client_id text not null references oauth_clients,
  hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (client_id, hash)
);

-- A streamer's approval of a client: what codes and tokens hang on, and what is revoked as a whole.
create table oauth_grants (
  id uuid primary key,
  client_id text not null references oauth_clients,
  streamer_id uuid not null references streamers,
  scopes text[] not null,
  resource text, -- null: the base URL
  created_at timestamptz not null default now(),
  expires_at timestamptz not null, -- a year at most, however often it is refreshed
  activated_at timestamptz, -- when its code was exchanged
  revoked_at timestamptz
);
create index oauth_grants_streamer on oauth_grants (streamer_id, created_at); -- the page of connected applications

create table oauth_codes (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants,
  redirect_uri text, -- null: the authorization request had none
  code_challenge text,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table oauth_refresh_tokens (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  rotated_at timestamptz, -- when it was used
  successor bytea -- what it was replaced by
);
create index oauth_refresh_tokens_grant on oauth_refresh_tokens (grant_id); -- revoking a family

-- Access tokens (jti) and grants whose access tokens must be refused although they have not expired.
create table denials (
  id uuid primary key,
  expires_at timestamptz not null -- after that no token can carry the id any more
);

-- Shared by all processes. Retired keys sign no more and verify until their last token has expired.
create table signing_keys (
  kid text primary key,
  private_key bytea not null, -- PKCS #8, encrypted when SECRET_KEY is set
  public_jwk jsonb not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- Secrets begin with a byte that says how they are kept; those of 0001 are kept as they are.
update shared_secrets set value = '\x00'::bytea || value;
