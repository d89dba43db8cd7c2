-- Sample of an upgrade, which contracts: programs since 9001 read void_remark. Those before write void_note, and do not start on this schema.
-- compatible since 9001
drop trigger donations_copy_void_note on donations;
drop function copy_void_note();
alter table donations drop column void_note;
