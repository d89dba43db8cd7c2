// Takes donations out of a streamer's roll-ups, exactly and at once: every sum that they are in is added up again, each period from the next
// shorter ones and the quarters and hours from their donations. Subtracting would not do: it cannot tell which amount is the smallest now,
// which donation the latest, and who donated nothing else.

import type { Knex } from "knex";
import type { Client } from "pg";
import { isDistributed } from "../../db/citus/distributed.ts";
import { holdFolds } from "./donator-numbers.ts";
import { distributedRemoval, removal } from "./removal-sql.ts";

export type HeldRollUps = {
  /**
   * Takes these donations of the streamer, by their sequences, out of the roll-ups. Those that are not in them yet are passed over: a fold
   * leaves void donations out. Does not read whether they are void, so that they can be marked afterwards.
   */
  remove: (sequences: readonly number[]) => Promise<void>;
};

/** Waits until nobody folds the streamer's donations, and keeps others from it until the transaction ends. */
export async function holdRollUps(transaction: Knex.Transaction, streamerId: string): Promise<HeldRollUps> {
  const rolled = await holdFolds(transaction, streamerId);
  return {
    remove: async (sequences) => {
      const folded = sequences.filter((sequence) => sequence <= rolled);
      if (folded.length === 0) return;
      await transaction.raw("set local enable_seqscan = off; set local jit = off");
      for (const { text, readsDonations } of isDistributed(transaction) ? distributedRemoval : removal)
        await queryNative(transaction, text, readsDonations ? [streamerId, folded, rolled] : [streamerId, folded]);
    },
  };
}

/** Runs a statement with numbered parameters directly in `pg`: Knex only has question marks. */
async function queryNative(transaction: Knex.Transaction, text: string, values: readonly unknown[]): Promise<void> {
  const client: Client = await transaction.client.acquireConnection();
  await client.query(text, [...values]);
}
