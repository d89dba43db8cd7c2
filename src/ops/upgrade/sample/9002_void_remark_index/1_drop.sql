-- An interrupted start leaves an index that is invalid.
drop index concurrently if exists donations_void_remark;
