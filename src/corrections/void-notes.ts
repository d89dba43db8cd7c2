// The streamer's own notes beside void donations. No operation of the contract shows them.

import type { Knex } from "knex";

/** Finds the notes beside these donations of the streamer, by donation id. A donation without a note is missing. */
export async function findVoidNotes(knex: Knex, streamerId: string, donationIds: readonly string[]): Promise<Map<string, string>> {
  if (donationIds.length === 0) return new Map();
  const { rows } = await knex.raw<{ rows: { id: string; note: string }[] }>(
    "select id, void_note as note from donations where streamer_id = ? and id = any(?::uuid[]) and void_note <> ''",
    [streamerId, donationIds],
  );
  return new Map(rows.map(({ id, note }) => [id, note]));
}
