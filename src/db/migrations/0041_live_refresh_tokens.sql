-- Finds the refresh tokens of a grant that can still be used among all that were used or replaced, which stay until the grant expires.
-- compatible since 0020
-- without a transaction
drop index concurrently if exists oauth_refresh_tokens_live; -- an interrupted start leaves it invalid
create index concurrently oauth_refresh_tokens_live on oauth_refresh_tokens (grant_id, expires_at) where rotated_at is null; -- live_scopes, connected applications
