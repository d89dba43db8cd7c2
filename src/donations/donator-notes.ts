// What streamers note about donators for themselves. A note goes with its donator: src/corrections erases it.

import type { Knex } from "knex";

export const maxNoteLength = 500;

/** The note; empty when there is none. */
export async function findDonatorNote(knex: Knex, streamerId: string, donatorKey: string): Promise<string> {
  const row = await knex("donator_notes").where({ streamer_id: streamerId, donator_key: donatorKey }).first("note");
  return row?.note ?? "";
}

/** An empty note is none. The caller has checked its length. */
export async function saveDonatorNote(
  knex: Knex,
  streamerId: string,
  { donatorKey, note }: { donatorKey: string; note: string },
): Promise<void> {
  const row = { streamer_id: streamerId, donator_key: donatorKey };
  if (note === "") await knex("donator_notes").where(row).delete();
  else
    await knex("donator_notes")
      .insert({ ...row, note })
      .onConflict(["streamer_id", "donator_key"])
      .merge({ note });
}

/** In the transaction that erases the donator. */
export async function eraseDonatorNote(transaction: Knex, streamerId: string, donatorKey: string): Promise<void> {
  await transaction("donator_notes").where({ streamer_id: streamerId, donator_key: donatorKey }).delete();
}
