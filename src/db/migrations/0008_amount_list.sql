-- Lists by amount throw most rows away where the range is short and the history long: the walk sees in the index what it decides by,
-- and reads the rows of its page alone. Takes the place of donations_amount.
create index donations_amount_list on donations (streamer_id, amount, sequence) include (created_at, source, channel);
drop index donations_amount;
-- An index alone tells of the rows on pages that vacuum has seen full and settled: let it come by for every fiftieth new row.
alter table donations set (autovacuum_vacuum_insert_scale_factor = 0.02);
