-- Finds what was denied lately: every process reads it after each revocation.
-- compatible since 0020
-- without a transaction
drop index concurrently if exists denials_expires; -- an interrupted start leaves it invalid
create index concurrently denials_expires on denials (expires_at); -- loadDenials, housekeeping
