-- OAUTH: which clients streamers have let in, and what was handed out. Secrets are stored as hashes only.

create table oauth_clients (
  id text primary key,
  application_id uuid not null references applications,
  owner_id uuid references streamers, -- who registered it; null: the operator, or a document describes the client
  public boolean not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  removed_at timestamptz
);
-- A streamer's clients, and how many are new.
create index oauth_clients_of_owner on oauth_clients (owner_id, created_at) where owner_id is not null;

-- Two may be active while a client moves from one to the next.
create table oauth_client_secrets (
  client_id text not null references oauth_clients,
  hash bytea not null,
  created_at timestamptz not null default now(),
  primary key (client_id, hash)
);

-- A streamer's approval of a client: codes and tokens belong to it, and it is revoked as a whole.
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
  successor bytea -- the hash of the one that replaced it
);
create index oauth_refresh_tokens_grant on oauth_refresh_tokens (grant_id); -- revoking all of a grant
-- Those that can still be used, among all that were used or replaced, which stay until the grant expires: live_scopes, connected applications.
create index oauth_refresh_tokens_live on oauth_refresh_tokens (grant_id, expires_at) where rotated_at is null;

-- Access tokens (jti) and grants whose access tokens must be refused although they have not expired.
create table denials (
  id uuid primary key,
  expires_at timestamptz not null -- after that no token can carry the id any more
);
create index denials_expires on denials (expires_at); -- what was denied lately: every process reads it after each revocation; housekeeping

-- Shared by all processes. A retired key signs no more, and verifies until its last token has expired.
create table signing_keys (
  kid text primary key,
  private_key bytea not null, -- PKCS #8, encrypted when SECRET_KEY is set
  public_jwk jsonb not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- The scopes of the credentials with which an application can act for a streamer; null when it has none.
create function live_scopes(streamer uuid, application uuid) returns text[] language sql stable
  return (select array_agg(distinct scope) from (
    select unnest(k.scopes) as scope from api_keys k
    where k.streamer_id = streamer and k.application_id = application and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
    union all
    select unnest(g.scopes) from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.streamer_id = streamer and c.application_id = application and c.removed_at is null
      and g.activated_at is not null and g.revoked_at is null
      and exists (select from oauth_refresh_tokens t where t.grant_id = g.id and t.rotated_at is null and t.expires_at > now())
  ) as live);

-- Exchanges a refresh token for its successor in one round trip (RFC 9700 4.14.2). Locks the grant's row, so that concurrent uses of its
-- tokens run one after the other; what it reads afterwards is what the use before it has left. Answers 'rotated', 'reused' (a rotated token
-- was used again: the caller revokes the grant) or 'invalid'. clock_timestamp() and not now(), which is the time before the wait.
create function rotate_refresh_token(used bytea, next bytea, confidential boolean) returns text language plpgsql as $$
declare
  family oauth_grants;
  token oauth_refresh_tokens;
begin
  select g.* into family from oauth_grants g
  where g.id = (select t.grant_id from oauth_refresh_tokens t where t.hash = used) for update;
  if not found or family.revoked_at is not null then
    return 'invalid';
  end if;

  select t.* into token from oauth_refresh_tokens t where t.hash = used;
  if token.rotated_at is null then
    if token.expires_at <= clock_timestamp() then
      return 'invalid';
    end if;
  else
    -- A confidential client may repeat its last token for a moment: its answer may have been lost. The unused successor stops working.
    if not confidential or token.rotated_at <= clock_timestamp() - interval '30 seconds' then
      return 'reused';
    end if;
    update oauth_refresh_tokens t set expires_at = '-infinity' where t.hash = token.successor and t.rotated_at is null;
    if not found then
      return 'reused';
    end if;
  end if;

  insert into oauth_refresh_tokens (hash, grant_id, expires_at)
  values (next, family.id, least(family.expires_at, now() + interval '90 days'));
  update oauth_refresh_tokens t set successor = next, rotated_at = coalesce(t.rotated_at, clock_timestamp()) where t.hash = used;
  return 'rotated';
end $$;
