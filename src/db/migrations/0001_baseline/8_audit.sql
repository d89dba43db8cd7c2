-- THE AUDIT LOG: who did what to which thing. Chains of hashes, one for each streamer and one for the operator.

-- The end of each chain.
create table audit_chains (
  chain text primary key, -- a streamer's id, or 'operator'
  last_number bigint not null,
  last_hash bytea not null
);

create table audit_log (
  chain text not null,
  number bigint not null,
  at timestamptz not null,
  entry text not null, -- JSON as it was hashed
  hash bytea not null,
  constraint audit_log_key primary key (chain, number)
);
create index audit_log_time on audit_log (at, chain, number); -- an export since a time

-- Appends a line to a chain of the audit log. The row of the chain stays locked until the transaction ends, so callers append last, when
-- nobody can wait for a lock of theirs that they have yet to take.
create function append_audit_line(line_chain text, line_entry text) returns void language plpgsql as $$
declare
  line_number bigint;
  previous bytea;
  line_at timestamptz;
  line_hash bytea;
begin
  insert into audit_chains as c (chain, last_number, last_hash) values (line_chain, 1, '')
    on conflict (chain) do update set last_number = c.last_number + 1
    returning last_number, last_hash into line_number, previous;
  line_at := clock_timestamp();
  line_hash := sha256(previous || convert_to(concat_ws(E'\n', line_chain, line_number, audit_time(line_at), line_entry), 'UTF8'));
  insert into audit_log (chain, number, at, entry, hash) values (line_chain, line_number, line_at, line_entry, line_hash);
  update audit_chains set last_hash = line_hash where chain = line_chain;
end
$$;

-- A time as the audit log hashes it: UTC with microseconds.
create function audit_time(line_at timestamptz) returns text language sql stable as $$
  select to_char(line_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- The audit log is append-only.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only: % of % is refused', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_log_append_only before update or delete on audit_log for each row execute function refuse_audit_change();
create trigger audit_log_not_truncated before truncate on audit_log for each statement execute function refuse_audit_change();
create trigger audit_chains_kept before delete on audit_chains for each row execute function refuse_audit_change();
create trigger audit_chains_not_truncated before truncate on audit_chains for each statement execute function refuse_audit_change();
create trigger audit_chains_only_grow before update on audit_chains for each row
  when (new.chain <> old.chain or new.last_number < old.last_number or new.last_number > old.last_number + 1)
  execute function refuse_audit_change();
