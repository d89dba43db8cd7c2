// For tests: a database with streamers whose logs they read and write, and subscriptions to a log in memory.

import type { Knex } from "knex";
import pino from "pino";
import { uuidv7 } from "uuidv7";
import { onTestFinished } from "vitest";
import { batchedReads } from "../db/batched-reads.ts";
import type { Database } from "../db/database.ts";
import type { NewDonation } from "../donations/donation.ts";
import { insertBatch } from "../donations/record/batch.ts";
import { someDonation } from "../donations/testing.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Authenticator } from "../http/guards.ts";
import type { Principal } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import type { LoggedEvent } from "./event.ts";
import { openFeeds } from "./feeds.ts";
import { eventLog, type LogQuestion } from "./log.ts";
import { openSubscriptions, type StreamRequest } from "./subscriptions.ts";

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

export const principal = { streamerId: "somebody", applicationId: "anything" } as Principal;
/** From the first event on. */
export const request: StreamRequest = {
  ...{ principal, authorization: "Bearer x", after: 0, keepaliveMs: 100_000 },
  ...{ types: ["goal.reached"], withImported: true },
};
const expired = () => new Problem("token_expired", "This credential has expired.");

/**
 * Subscriptions to a log that has as many events as it is told, by credentials that are good while `isGood`. The cursor of the n-th event is n.
 * They are closed when the test has finished.
 */
export function openTestSubscriptions() {
  const state = { isGood: true, end: 0, text: "" };
  const eventAt = (position: number): LoggedEvent => ({
    ...{ position, id: `event ${position}`, type: "goal.reached", at: 0, donationId: null, donationFor: null, isImported: false },
    details: { title: state.text },
  });
  const page = async ({ after, limit }: LogQuestion) => {
    const count = Math.min(limit, state.end - after);
    const events = Array.from({ length: count }, (_, index) => eventAt(after + index + 1));
    return { events, position: after + count, hasMore: after + count < state.end };
  };
  const log = {
    read: page,
    end: async () => state.end,
    ends: async (ids: readonly string[]) => ids.map((streamerId) => ({ streamerId, end: state.end })),
  };
  const feeds = openFeeds(log);
  const cursors: CursorCodec = { seal: (_, content) => String(content), open: () => 0 };
  const authenticator: Authenticator = {
    recall: () => (state.isGood ? principal : null),
    likelihood: () => "none",
    verify: async () => {
      if (!state.isGood) throw expired();
      return principal;
    },
  };
  const subscriptions = openSubscriptions({ feeds, cursors, log: pino({ level: "silent" }), authenticator });
  onTestFinished(async () => {
    subscriptions.leave();
    await subscriptions.close();
  });
  const happen = (count = 1) => {
    state.end += count;
    feeds.hint(principal.streamerId);
  };
  return { subscriptions, state, happen };
}
