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
