// Deletes the audio of erased donations.

import type { Knex } from "knex";

/** Deletes audio that no playback uses any more. Resolves to how many. */
export async function forgetSpeech(transaction: Knex, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) return 0;
  const { rowCount } = await transaction.raw<{ rowCount: number }>(
    `delete from speech_audio where hash = any(?) and hash not in (
       select speech_id from playbacks where speech_id = any(?))`,
    [hashes, hashes] as never,
  );
  return rowCount;
}

/**
 * Deletes a streamer's audio that was made since then (milliseconds since 1970) and that no playback uses: speech that was being made of a
 * donation while that was erased.
 */
export async function forgetUnusedSpeech(knex: Knex, streamerId: string, since: number): Promise<void> {
  await knex.raw(
    `delete from speech_audio a where a.streamer_id = :streamerId and a.made_at >= from_millis(:since)
       and not exists (select from playbacks p where p.streamer_id = :streamerId and p.speech_id = a.hash)`,
    { streamerId, since: Math.floor(since) },
  );
}
