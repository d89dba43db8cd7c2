// One transaction of an erasure: a bounded number of donations, and every copy of what their donators wrote.

import type { Knex } from "knex";
import { forgetAlerts } from "../alerts/queue/speech.ts";
import { columnName } from "../donations/columns.ts";
import { erasedMembers, erasedValues } from "../donations/donation.ts";
import { readDonations } from "../donations/rows.ts";
import { blocksWith, holdIndexing, rebuildBlocks } from "../donations/search/blocks.ts";
import { forgetAnswers, recordErased } from "../events/erased.ts";
import { addDonatorKeys, holdFolds } from "../reports/roll-ups/donator-numbers.ts";
import { forgetSpeech } from "../speech/speech-store.ts";
import { detailsOf } from "./void-donations.ts";

/** A donation to erase. `from`: its donator's key; `to`: the beginning of the one that it gets. */
export type Target = Readonly<{ id: string; sequence: number; from: string; to: string }>;

/** What was erased. */
export type Erased = Readonly<{ donations: number; speeches: number; answers: number }>;

export const nothing: Erased = { donations: 0, speeches: 0, answers: 0 };

/** Donations that one transaction erases. A shorter history is erased in one transaction, so its reports never show half of an erasure. */
export const chunkSize = 1_000;
/** Search blocks that one transaction rebuilds. Each block is computed from 256 donations. */
const maxBlocks = 64;
/** How long an erasure waits for a lock that a fold of the roll-ups or the streamer's queue holds for a moment; less than callers wait. */
export const lockTimeoutMs = 4_000;

/**
 * Erases these donations, which must be in the order of their sequences and all in the roll-ups. If they lie in more than `maxBlocks` search
 * blocks, only the first ones are erased. Resolves to what was erased; to null, and erases nothing, when another erasure has erased one of them
 * in the meantime. Locks are taken in this order: index, roll-ups, overlay, streamer, donations. Slow steps come before the lock of the streamer,
 * because new donations wait for it.
 */
export async function eraseRows(transaction: Knex.Transaction, streamerId: string, targets: readonly Target[]): Promise<Erased | null> {
  await transaction.raw(`set local lock_timeout = ${lockTimeoutMs}`);
  await holdIndexing(transaction, streamerId);
  if (!(await areUnchanged(transaction, streamerId, targets))) return null;
  await holdFolds(transaction, streamerId);
  const chosen = await eraseFromSearch(transaction, streamerId, targets);
  const ids = chosen.map(({ id }) => id);
  const keys = await addDonatorKeys(transaction, streamerId, changesOf(chosen));
  const speech = await forgetAlerts(transaction, streamerId, ids);
  await transaction.raw("update streamers set has_erasures = true where id = ?", [streamerId]);
  await markErased(transaction, streamerId, { targets: chosen, keys });
  const [speeches, answers] = [await forgetSpeech(transaction, speech), await forgetAnswers(transaction, streamerId, ids)];
  const erased = await readDonations(transaction, streamerId, ids);
  await recordErased(
    transaction,
    streamerId,
    erased.map((donation) => ({ donationId: donation.id, details: detailsOf(donation) })),
  );
  return { donations: chosen.length, speeches, answers };
}

/** Whether the donations still have their donators' keys. Erasing one twice would lose the hash of its idempotency key. */
async function areUnchanged(transaction: Knex.Transaction, streamerId: string, targets: readonly Target[]): Promise<boolean> {
  const { rows } = await transaction.raw<{ rows: { count: number }[] }>(
    `select count(*) as count from unnest(?::uuid[], ?::text[]) as t(id, key)
     join donations d on d.id = t.id and d.donator_key = t.key where d.streamer_id = ?::uuid`,
    [targets.map(({ id }) => id), targets.map(({ from }) => from), streamerId],
  );
  return rows[0]?.count === targets.length;
}

/** Resolves to the donations whose blocks were made again. */
async function eraseFromSearch(transaction: Knex.Transaction, streamerId: string, targets: readonly Target[]): Promise<Target[]> {
  const all = await blocksWith(
    transaction,
    streamerId,
    targets.map(({ sequence }) => sequence),
  );
  const blocks = all.slice(0, maxBlocks);
  const chosen = all.length > maxBlocks ? targets.filter(({ sequence }) => sequence <= (blocks.at(-1)?.last as number)) : [...targets];
  const erased = new Set(chosen.map(({ sequence }) => sequence));
  await rebuildBlocks(transaction, streamerId, {
    blocks,
    shown: (donation) => (erased.has(donation.sequence) ? { ...donation, ...erasedValues } : donation),
  });
  return chosen;
}

function changesOf(targets: readonly Target[]) {
  const newKeys = new Map(targets.map(({ from, to }) => [from, to]));
  return [...newKeys].map(([from, to]) => ({ from, to }));
}

type Marked = Readonly<{ targets: readonly Target[]; keys: ReadonlyMap<string, string> }>;

/** Takes the values of `erasedValues`. */
const blanked = erasedMembers.map((member) => `${columnName(member)} = ?`).join(", ");

async function markErased(transaction: Knex.Transaction, streamerId: string, { targets, keys }: Marked): Promise<void> {
  await transaction.raw(
    `update donations d set ${blanked}, void_note = null, donator_key = t.key, idempotency_key = null,
       erased_key = hash_of_key((select secret from erased_key_secret), d.application_id, d.idempotency_key)
     from unnest(?::uuid[], ?::text[]) as t(id, key) where d.streamer_id = ?::uuid and d.id = t.id`,
    [...Object.values(erasedValues), targets.map(({ id }) => id), targets.map(({ from }) => keys.get(from) as string), streamerId],
  );
}
