-- What streamers note about donators for themselves. A note goes when its donator is erased.
-- compatible since 0001

create table donator_notes (
  streamer_id uuid not null references streamers,
  donator_key text not null, -- that of the donations
  note text not null,
  primary key (streamer_id, donator_key)
);
