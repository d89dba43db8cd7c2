// Stores audio in the database by the hash of its text, so that every process serves audio that any process has made. One
// streamer has a quota: an overlay that acknowledges alerts without showing them must not fill the database.

import type { Knex } from "knex";
import { memoryBuckets } from "../http/rate-limits/token-bucket.ts";
import type { Audio } from "./speaker.ts";

export type StoredSpeech = Pick<Audio, "mime" | "durationMs">;
/** Bytes of audio that are stored for a streamer. */
const maxStoredBytes = 50_000_000;
const pruneBatch = 500;

export function speechStore(knex: Knex) {
  return {
    find: (hash: string) => readAndTouch<StoredSpeech>(knex, hash, 'mime, duration_ms as "durationMs"'),
    read: (hash: string) => readAndTouch<Pick<Audio, "mime" | "bytes">>(knex, hash, "mime, bytes"),
    /** Stores audio for the streamer, and deletes the least recently used audio beyond the quota. */
    keep: async (streamerId: string, hash: string, { mime, bytes, durationMs }: Audio): Promise<void> => {
      const row = { hash, mime, bytes, duration_ms: durationMs, streamer_id: streamerId };
      await knex("speech_audio").insert(row).onConflict("hash").ignore();
      await enforceQuota(knex, streamerId);
    },
    prune: async (): Promise<void> => {
      while ((await pruneSome(knex)) === pruneBatch);
    },
  };
}

/** Reads a row, and records its use to the day, so that reading seldom writes. */
async function readAndTouch<Row>(knex: Knex, hash: string, columns: string): Promise<Row | null> {
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `with used as (update speech_audio set used_at = now() where hash = ? and used_at < now() - interval '1 day')
     select ${columns} from speech_audio where hash = ?`,
    [hash, hash],
  );
  return rows[0] ?? null;
}

/** Deletes audio beyond the streamer's quota, except audio that an open playback of any streamer uses. */
async function enforceQuota(knex: Knex, streamerId: string): Promise<void> {
  const { rows } = await knex.raw<{ rows: { hash: string }[] }>(
    `select hash from (
       select hash, sum(octet_length(bytes)) over (order by used_at desc, made_at desc, hash) as total from speech_audio where streamer_id = ?
     ) own where total > ?`,
    [streamerId, maxStoredBytes],
  );
  if (rows.length === 0) return;
  const beyond = rows.map(({ hash }) => hash);
  // Where the database is distributed, this asks every node.
  const used: string[] = await knex("playbacks")
    .whereIn("speech_id", beyond)
    .whereIn("state", ["preparing", "queued", "leased", "playing"])
    .distinct()
    .pluck("speech_id");
  await knex("speech_audio").whereIn("hash", beyond).whereNotIn("hash", used).delete();
}

/** The batch is chosen once, in `due`: PostgreSQL may run a subquery of the condition again for each row, and then delete more. */
async function pruneSome(knex: Knex): Promise<number> {
  const { rowCount } = await knex.raw(
    `with due as materialized (
       select hash from speech_audio where used_at < now() - interval '30 days' limit ${pruneBatch} for update skip locked)
     delete from speech_audio using due where speech_audio.hash = due.hash`,
  );
  return rowCount;
}

/** Speech that is made for a streamer. An overlay that plays its alerts needs no more, because each is shown for at least two seconds. */
const rate = { name: "speech", quota: 30, window: 60, burst: 30 };

/** Takes one from the streamer's quota, which each process counts by itself; false: it is used up. */
export function speechRate(): (streamerId: string) => Promise<boolean> {
  const buckets = memoryBuckets();
  return async (streamerId) => (await buckets.take(rate, streamerId)).allowed;
}

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
