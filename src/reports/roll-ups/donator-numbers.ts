// Gives a donator's number in the roll-ups another key, for erasures: sums and counts of donators belong to numbers and stay as they are.

import type { Knex } from "knex";

type KeyChange = Readonly<{ from: string; to: string }>;

/**
 * Waits until nobody folds the streamer's donations, and keeps others from it until the transaction ends. Resolves to the sequence up to
 * which donations are folded.
 */
export async function holdFolds(transaction: Knex.Transaction, streamerId: string): Promise<number> {
  await transaction.raw("insert into report_progress (streamer_id) values (?) on conflict do nothing", [streamerId]);
  const { rows } = await transaction.raw<{ rows: { rolled: number }[] }>(
    "select rolled_sequence as rolled from report_progress where streamer_id = ? for update",
    [streamerId],
  );
  return rows[0]?.rolled ?? 0;
}

/**
 * Lets new keys stand for the same donators as the old ones do: both count as one donator then. A new key ends in the donator's number, so that
 * it never stands for two: the old key may have been forgotten and numbered again since the last call with the same `to`. Resolves to the new
 * keys by the old ones. Donators that have no number, because all their donations are void, get `to` as it is.
 */
export async function addDonatorKeys(
  transaction: Knex.Transaction,
  streamerId: string,
  changes: readonly KeyChange[],
): Promise<Map<string, string>> {
  const { rows } = await transaction.raw<{ rows: KeyChange[] }>(
    `with changed as (
       select c.old, r.donator, c.new || '.' || r.donator as new from unnest(?::text[], ?::text[]) as c(old, new)
       join report_donators r on r.streamer_id = ?::uuid and r.key = c.old
     ),
     added as (
       insert into report_donators (streamer_id, key, donator) select ?::uuid, new, donator from changed on conflict do nothing
     )
     select old as "from", new as "to" from changed`,
    [changes.map(({ from }) => from), changes.map(({ to }) => to), streamerId, streamerId],
  );
  return new Map([...changes, ...rows].map(({ from, to }) => [from, to]));
}

/** Forgets a key that no donation has any more. */
export async function dropDonatorKey(transaction: Knex.Transaction, streamerId: string, key: string): Promise<void> {
  await transaction("report_donators").where({ streamer_id: streamerId, key }).delete();
}

/** Pages through the keys of a streamer's donators, in their order. `after`: the last key of the page before; "" for the first page. */
export async function pageOfDonatorKeys(knex: Knex, streamerId: string, after: string): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { key: string }[] }>(
    `select key from report_donators where streamer_id = ? and key > ? order by key limit 5000`,
    [streamerId, after],
  );
  return rows.map(({ key }) => key);
}
