// Erases in a restored database what the journals name.

import type { Erased } from "./erase-rows.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { eraseNamedDonators, erasuresOf, type NamedErasureDeps } from "./named-erasures.ts";
import type { Retention } from "./retention.ts";

export type ReapplyDeps = NamedErasureDeps & {
  journal: Journal;
  retention: Pick<Retention, "eraseReceivedBefore">;
  /** Computes the streamer's roll-ups again. */
  rebuild: (streamerId: string) => Promise<unknown>;
};

/** `others`: entries of further journals, which are added to this machine's. Resolves to what was erased. */
export async function reapplyErasures(deps: ReapplyDeps, others: readonly JournalEntry[]): Promise<Erased & { aged: number }> {
  const { journal, retention, rebuild } = deps;
  const own = await journal.read();
  const known = new Set(own.map((entry) => JSON.stringify(entry)));
  const added = others.filter((entry) => !known.has(JSON.stringify(entry)));
  for (const entry of added) await journal.append(entry);
  const entries = [...own, ...added].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const erased = await eraseNamedDonators(deps, erasuresOf(entries));
  // Who donated again after the erasure has a number of their own from now on.
  const streamers = erased.donations > 0 ? new Set(erasuresOf(entries).map(({ streamer }) => streamer)) : [];
  for (const id of streamers) if (await deps.knex("streamers").where({ id }).first("id")) await rebuild(id);
  let aged = 0;
  const latest = new Map(entries.flatMap((entry) => (entry.type === "aged" ? [[entry.streamer, entry.receivedBefore] as const] : [])));
  for (const [streamerId, before] of latest) {
    await deps.fold(streamerId);
    aged += await retention.eraseReceivedBefore(streamerId, Date.parse(before));
  }
  return { ...erased, aged };
}
