// Finds the donators whose erasures the journal names by hash, and erases them: after an interruption, and in a restored backup.

import type { Knex } from "knex";
import { type Erased, nothing } from "./erase-rows.ts";
import { type Eraser, plus } from "./eraser.ts";
import { hashDonator, type JournalEntry } from "./journal.ts";

export type NamedErasureDeps = {
  knex: Knex;
  secret: Buffer;
  eraser: Pick<Eraser, "eraseNamed">;
  fold: (streamerId: string) => Promise<unknown>;
  pageOfDonatorKeys: (knex: Knex, streamerId: string, after: string) => Promise<string[]>;
};

/** An erasure of the journal. `until`: donations received later are not part of it (milliseconds since 1970). */
type Named = Readonly<{ id: string; streamer: string; donator: string; until: number }>;

/** The erasures of a journal. One that was interrupted has its beginning alone. */
export function erasuresOf(entries: readonly JournalEntry[]): Named[] {
  const named = new Map<string, Named>();
  for (const entry of entries) if (entry.type !== "aged") named.set(entry.id, { ...entry, until: Date.parse(entry.at) });
  return [...named.values()];
}

/** Erases what is there of these donators. What is erased already stays as it is, so that it can be repeated. */
export async function eraseNamedDonators(deps: NamedErasureDeps, named: readonly Named[]): Promise<Erased> {
  let all = nothing;
  for (const [streamerId, erasures] of Map.groupBy(named, ({ streamer }) => streamer))
    if (await deps.knex("streamers").where({ id: streamerId }).first("id"))
      all = plus(all, await eraseForStreamer(deps, streamerId, erasures));
  return all;
}

async function eraseForStreamer(deps: NamedErasureDeps, streamerId: string, erasures: readonly Named[]): Promise<Erased> {
  const { knex, secret, eraser, fold, pageOfDonatorKeys } = deps;
  const byHash = Map.groupBy(erasures, ({ donator }) => donator);
  await fold(streamerId); // gives every donator a row to be found by
  let all = nothing;
  for (let keys = await pageOfDonatorKeys(knex, streamerId, ""); keys.length > 0; ) {
    for (const donatorKey of keys)
      for (const { id, until } of byHash.get(hashDonator(secret, streamerId, donatorKey)) ?? [])
        all = plus(all, await eraser.eraseNamed({ id, streamerId, donatorKey, until }));
    keys = await pageOfDonatorKeys(knex, streamerId, keys.at(-1) as string);
  }
  return all;
}
