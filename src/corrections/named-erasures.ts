// Finds the donators whose erasures the journal names by hash, and erases them: after an interruption, and in a restored backup.

import type { Knex } from "knex";
import { pageOfDonatorKeys } from "../reports/roll-ups/donator-numbers.ts";
import { foldAll, rebuildReports } from "../reports/roll-ups/rollup.ts";
import { type Erased, nothing } from "./erase-rows.ts";
import { type Eraser, plus } from "./eraser.ts";
import { hashDonator, type Journal, type JournalEntry } from "./erasure-journal.ts";
import type { Retention } from "./retention.ts";

/** `secret`: key of the hashes in the journal. */
export type NamedErasureDeps = Readonly<{ knex: Knex; secret: Buffer; eraser: Pick<Eraser, "eraseNamed"> }>;

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

export type ReapplyDeps = NamedErasureDeps & Readonly<{ journal: Journal; retention: Pick<Retention, "eraseReceivedBefore"> }>;

/**
 * Erases in a restored database what the journals name. `others`: entries of further journals, which are added to this machine's. Resolves to
 * what was erased.
 */
export async function reapplyErasures(deps: ReapplyDeps, others: readonly JournalEntry[]): Promise<Erased & { aged: number }> {
  const { knex, journal, retention } = deps;
  const own = await journal.read();
  const known = new Set(own.map((entry) => JSON.stringify(entry)));
  const added = others.filter((entry) => !known.has(JSON.stringify(entry)));
  for (const entry of added) await journal.append(entry);
  const entries = [...own, ...added].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const erased = await eraseNamedDonators(deps, erasuresOf(entries));
  // Who donated again after the erasure has a number of their own from now on.
  const streamers = erased.donations > 0 ? new Set(erasuresOf(entries).map(({ streamer }) => streamer)) : [];
  for (const id of streamers) if (await knex("streamers").where({ id }).first("id")) await rebuildReports(knex, id);
  let aged = 0;
  const latest = new Map(entries.flatMap((entry) => (entry.type === "aged" ? [[entry.streamer, entry.receivedBefore] as const] : [])));
  for (const [streamerId, before] of latest) {
    await foldAll(knex, streamerId);
    aged += await retention.eraseReceivedBefore(streamerId, Date.parse(before));
  }
  return { ...erased, aged };
}

async function eraseForStreamer(deps: NamedErasureDeps, streamerId: string, erasures: readonly Named[]): Promise<Erased> {
  const { knex, secret, eraser } = deps;
  const byHash = Map.groupBy(erasures, ({ donator }) => donator);
  await foldAll(knex, streamerId); // gives every donator a row to be found by
  let all = nothing;
  for (let keys = await pageOfDonatorKeys(knex, streamerId, ""); keys.length > 0; ) {
    for (const donatorKey of keys)
      for (const { id, until } of byHash.get(hashDonator(secret, streamerId, donatorKey)) ?? [])
        all = plus(all, await eraser.eraseNamed({ id, streamerId, donatorKey, until }));
    keys = await pageOfDonatorKeys(knex, streamerId, keys.at(-1) as string);
  }
  return all;
}
