// A database with streamers whose logs tests read and write.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { batchedReads } from "../db/batched-reads.ts";
import type { Database } from "../db/database.ts";
import type { NewDonation } from "../donations/donation.ts";
import { insertBatch } from "../donations/record/batch.ts";
import { someDonation } from "../donations/testing.ts";
import { eventLog } from "./log.ts";

export function openLogFixture(database: Database) {
  const { knex } = database;
  const log = eventLog(database.knex, batchedReads(database.pool({ max: 2, applicationName: "log under test" })));
  return {
    knex,
    log,
    newStreamer: async (): Promise<string> => {
      const id = uuidv7();
      await knex("streamers").insert({ id });
      return id;
    },
    /** Records donations in one statement. Resolves to their ids in the order of their numbers. */
    donate: (streamerId: string, ...donations: Partial<NewDonation>[]) => donate(knex, streamerId, donations),
    /** Moves alerts on, as the overlay does it. */
    move: async (donationIds: readonly string[], status: string, reason: string | null = null): Promise<void> => {
      await knex("alerts").whereIn("donation_id", donationIds).update({ status, reason });
    },
  };
}

async function donate(knex: Knex, streamerId: string, donations: readonly Partial<NewDonation>[]): Promise<string[]> {
  const made = donations.map((members) => someDonation(streamerId, members));
  await insertBatch(knex, made, false);
  const ids = made.map(({ id }) => id);
  return knex("donations").where("streamer_id", streamerId).whereIn("id", ids).orderBy("sequence").pluck("id");
}
