-- Sample of an upgrade, which expands: void_remark is to take the place of void_note. While the version before goes on writing void_note, a
-- trigger keeps both alike.
-- compatible since 0001
alter table donations add column void_remark text;

create function copy_void_note() returns trigger language plpgsql as $$
begin
  new.void_remark := new.void_note;
  return new;
end $$;
create trigger donations_copy_void_note before update of void_note on donations for each row execute function copy_void_note();
