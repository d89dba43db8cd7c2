// The time in which a streamer had no connected player, in SQL.

/**
 * An SQL expression: the interval, within the time from `since` to `until`, in which the streamer had no connected player. All parameters are SQL.
 * It is text of the statement and no function of the database, because a function that reads a table can't be part of a statement on another node.
 */
export function absentTime(streamer: string, since: string, until: string): string {
  return `(coalesce((
      select sum(back_at - greatest(gone_at, ${since})) from overlay_absences where streamer_id = ${streamer} and back_at > ${since}), '0')
    + coalesce((
      select greatest(${until} - greatest(player_until, ${since}), '0') from overlays
      where streamer_id = ${streamer} and player_until is not null), ${until} - ${since}))`;
}
