// The time in which a streamer had no connected player, in SQL.

/**
 * How much of the time from `since` to `until` that was, as an interval. The parts are SQL. Written into the statement, because a function that reads a table can't be part of a statement on another node.
 */
export function absentTime(streamer: string, since: string, until: string): string {
  return `(coalesce((
      select sum(back_at - greatest(gone_at, ${since})) from overlay_absences where streamer_id = ${streamer} and back_at > ${since}), '0')
    + coalesce((
      select greatest(${until} - greatest(player_until, ${since}), '0') from overlays
      where streamer_id = ${streamer} and player_until is not null), ${until} - ${since}))`;
}
