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

/** An erasure of the journal. `until`: donations received later are not part of it (milliseconds since 1970; null: all are part of it). */
type Named = Readonly<{ id: string; streamer: string; donator: string; until: number | null; isFinished: boolean }>;

/** The erasures of a journal, in the order in which they began. One that was interrupted has its beginning alone. */
export function erasuresOf(entries: readonly JournalEntry[]): Named[] {
  const named = new Map<string, Named>();
  for (const entry of entries) {
    if (entry.type === "aged") continue;
    const { id, streamer, donator, type, at } = entry;
    named.set(id, { id, streamer, donator, until: Date.parse(at), isFinished: type === "finished" });
  }
  return [...named.values()];
}

/**
 * Those of a journal that no `finished` follows, for their continuation, which erases what was received meanwhile like an erasure that goes on:
 * the new donations and the old ones have one key. Left out are donators whom a later erasure has erased: who donates after that is new.
 */
export function unfinishedOf(entries: readonly JournalEntry[]): Named[] {
  const all = erasuresOf(entries);
  const isSuperseded = (one: Named, index: number) =>
    all.some((other, place) => place > index && other.isFinished && other.streamer === one.streamer && other.donator === one.donator);
  return all.filter((one, index) => !one.isFinished && !isSuperseded(one, index)).map((one) => ({ ...one, until: null }));
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
