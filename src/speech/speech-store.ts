// Stores audio in the database by the hash of its text, so that every process serves audio that any process has made.

import type { Knex } from "knex";
import type { Audio } from "./speaker.ts";
import { maxStoredBytes } from "./speech-quota.ts";

export type StoredSpeech = Pick<Audio, "mime" | "durationMs">;
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
