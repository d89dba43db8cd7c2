// Takes the speech of erased donations from their playbacks. Names and messages are the donations' own: playbacks have no copy of them.

import type { Knex } from "knex";

/**
 * In the caller's transaction. A playback whose speech is being made is queued without: what is made of the old text finds nobody that waits
 * for it. Resolves to the ids of the speech.
 */
export async function forgetAlerts(transaction: Knex.Transaction, streamerId: string, donationIds: readonly string[]): Promise<string[]> {
  await transaction.raw("select from overlays where streamer_id = ? for update", [streamerId]);
  const { rows } = await transaction.raw<{ rows: { speech: string | null }[] }>(
    `with spoken as (
       select streamer_id, id, speech_id, state from playbacks
       where streamer_id = :streamerId and donation_id = any(:donationIds::uuid[]) and (speech_id is not null or state = 'preparing')
     ),
     silenced as (
       update playbacks p set speech_id = null, speech_mime = null, speech_ms = null,
         state = case when p.state = 'preparing' then 'queued' else p.state end
       from spoken s where p.streamer_id = :streamerId and p.streamer_id = s.streamer_id and p.id = s.id
       returning p.streamer_id, p.donation_id, s.state
     ),
     queued as (
       update alerts a set status = 'queued' from silenced s
       where s.state = 'preparing' and a.streamer_id = :streamerId and a.streamer_id = s.streamer_id and a.donation_id = s.donation_id
     )
     select distinct speech_id as speech from spoken where speech_id is not null`,
    { streamerId, donationIds },
  );
  await transaction.raw("update overlays set version = version + 1 where streamer_id = ?", [streamerId]);
  return rows.map(({ speech }) => speech as string);
}
