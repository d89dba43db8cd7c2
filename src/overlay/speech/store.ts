// Spoken audio in the database, by content: any process serves what any other has made.

import type { Knex } from "knex";
import type { Audio } from "./speaker.ts";

export type StoredSpeech = Pick<Audio, "mime" | "durationMs">;
export type SpeechStore = ReturnType<typeof speechStore>;

const pruneBatch = 500;

export function speechStore(knex: Knex) {
  return {
    find: (hash: string) => use<StoredSpeech>(knex, hash, 'mime, duration_ms as "durationMs"'),
    read: (hash: string) => use<Pick<Audio, "mime" | "bytes">>(knex, hash, "mime, bytes"),
    keep: async (hash: string, { mime, bytes, durationMs }: Audio): Promise<void> => {
      await knex("speech_audio").insert({ hash, mime, bytes, duration_ms: durationMs }).onConflict("hash").ignore();
    },
    prune: async (): Promise<void> => {
      while ((await pruneSome(knex)) === pruneBatch);
    },
  };
}

/** Reads a row, and notes that it was used: to the day, so that reading seldom writes. */
async function use<Row>(knex: Knex, hash: string, columns: string): Promise<Row | null> {
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `with used as (update speech_audio set used_at = now() where hash = ? and used_at < now() - interval '1 day')
     select ${columns} from speech_audio where hash = ?`,
    [hash, hash],
  );
  return rows[0] ?? null;
}

async function pruneSome(knex: Knex): Promise<number> {
  const { rowCount } = await knex.raw(
    `delete from speech_audio where hash in (
       select hash from speech_audio where used_at < now() - interval '30 days' limit ${pruneBatch} for update skip locked)`,
  );
  return rowCount;
}
