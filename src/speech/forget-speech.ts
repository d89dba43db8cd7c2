// Deletes the audio of erased donations.

import type { Knex } from "knex";

/** Deletes audio that no playback uses any more. Resolves to how many. */
export async function forgetSpeech(transaction: Knex, hashes: readonly string[]): Promise<number> {
  if (hashes.length === 0) return 0;
  // Texts of other streamers may be the same: where the database is distributed, this asks every node.
  const used: string[] = await transaction("playbacks").whereIn("speech_id", hashes).distinct().pluck("speech_id");
  return transaction("speech_audio").whereIn("hash", hashes).whereNotIn("hash", used).delete();
}

/**
 * Deletes a streamer's audio that no playback uses: speech that was being made of a donation while that was erased, and speech that came
 * too late for its alert, at any time, of which nothing tells whose it is.
 */
export async function forgetUnusedSpeech(knex: Knex, streamerId: string): Promise<void> {
  const made: string[] = await knex("speech_audio").where({ streamer_id: streamerId }).pluck("hash");
  if (made.length === 0) return;
  const own: string[] = await knex("playbacks").where({ streamer_id: streamerId }).whereIn("speech_id", made).distinct().pluck("speech_id");
  const used = new Set(own); // nearly all: seldom is anything left about which every node is asked
  await forgetSpeech(
    knex,
    made.filter((hash) => !used.has(hash)),
  );
}
