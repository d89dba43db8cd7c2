// A streamer's time zone and language: all SQL about them.

import type { Knex } from "knex";
import type { Language } from "../../ui/reader.ts";

export type Preferences = Readonly<{
  /** Of the IANA database. */
  timeZone: string;
  language: Language;
}>;

/** The streamer's preferences; null when none were saved. */
export async function findPreferences(knex: Knex, streamerId: string): Promise<Preferences | null> {
  const row = await knex("streamer_preferences").where({ streamer_id: streamerId }).first({ timeZone: "time_zone", language: "language" });
  return row ?? null;
}

/** The caller has checked both. */
export async function savePreferences(knex: Knex, streamerId: string, { timeZone, language }: Preferences): Promise<void> {
  const row = { time_zone: timeZone, language };
  await knex("streamer_preferences")
    .insert({ streamer_id: streamerId, ...row })
    .onConflict("streamer_id")
    .merge(row);
}
