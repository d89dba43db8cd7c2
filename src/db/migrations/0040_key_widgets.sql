-- The widget of an overlay key and its settings, so that they can be changed while the widget is open in OBS.
-- compatible since 0020
-- short table: overlay_keys
-- short table: overlays

-- Its kind, and the parameters of its page that do not have their usual value; null: none, or a link that has them in its address.
alter table overlay_keys add column widget jsonb;
-- Rises with every change of the widget of one of the streamer's keys: processes read the widgets again then, and not at every step of the queue.
alter table overlays add column widget_changes bigint not null default 0;
