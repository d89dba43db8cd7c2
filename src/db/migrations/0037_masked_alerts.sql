-- Whether the alert of a donation was masked, as its last playback, so that lists of donations can say it without reading playbacks.
-- compatible since 0020
alter table alerts add column masked boolean not null default false;
