// Opens the events: their operations, and the tasks that keep the log.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { BatchedReads } from "../db/batched-reads.ts";
import { isDistributed } from "../db/citus/distributed.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Handlers } from "../http/operations.ts";
import { startIntervalTask } from "../telemetry/interval-task.ts";
import { openFeeds } from "./feeds.ts";
import { type SumGoal, settleGoals } from "./goals.ts";
import { createEventTicket, follow, listEvents, streamEvents } from "./handlers.ts";
import { type DonationReader, eventLog } from "./log.ts";
import { type EventSockets, openSockets, type SocketDeps } from "./socket.ts";
import { openSubscriptions, type SubscriptionsDeps } from "./subscriptions.ts";
import { openTickets } from "./tickets.ts";
import { openWebhooks, type WebhooksDeps, type WebhooksService } from "./webhooks/open-webhooks.ts";

export type EventsDeps = Pick<SubscriptionsDeps, "authenticator"> &
  WebhooksDeps & {
    reads: BatchedReads;
    cursors: CursorCodec;
    log: Logger;
    donations: DonationReader;
    sumGoal: SumGoal;
    /** Tells every process that something happened to a streamer. */
    notify: (streamerId: string) => void;
  };

export type EventsService = {
  operations: Pick<Handlers, "listEvents" | "streamEvents" | "createEventTicket"> & WebhooksService["operations"];
  /** Serves WebSockets. */
  openSockets: (deps: Pick<SocketDeps, "contract" | "log" | "authenticate" | "limits">) => EventSockets;
  /** Something happened to this streamer, in this process or another. */
  hint: (streamerId: string) => void;
  /** A credential was revoked; resolves when its streams are ended. */
  credentialsChanged: () => Promise<void>;
  /** The number of streams of this process. */
  streams: () => number;
  /** What operators watch of webhooks, and what the studio does beside their operations. */
  webhooks: Pick<WebhooksService, "endpoints" | "undelivered" | "rotate" | "findRefusals">;
  /** Ends all streams, because the server stops. */
  leave: () => void;
  close: () => Promise<void>;
};

const goalsMs = 1_000;
const cleanUpMs = 600_000;
const eventsPerCleanUp = 5_000;

export function openEvents(deps: EventsDeps): EventsService {
  const { knex, reads, cursors, log, donations, sumGoal, notify, authenticator } = deps;
  const events = eventLog(knex, reads, donations);
  const feeds = openFeeds(events);
  const subscriptions = openSubscriptions({ feeds, cursors, log, authenticator });
  const tickets = openTickets(knex);
  const tasks = [
    startIntervalTask({ pauseMs: goalsMs, log, failureMessage: "can't find the goals that were reached" }, async () => {
      const { reached, hasMore } = await settleGoals(knex, sumGoal);
      for (const streamerId of reached) notify(streamerId);
      return hasMore;
    }),
    startIntervalTask({ pauseMs: cleanUpMs, log, failureMessage: "can't delete old events" }, async () => {
      await tickets.deleteExpired();
      return deleteOldEvents(knex);
    }),
  ];
  const webhooks = openWebhooks(deps);
  const reading = { log: events, cursors, subscriptions };
  return {
    operations: {
      listEvents: listEvents(reading),
      streamEvents: streamEvents(reading),
      createEventTicket: createEventTicket({ tickets }),
      ...webhooks.operations,
    },
    openSockets: (given) => openSockets({ ...given, redeem: tickets.redeem, follow: (...asked) => follow(reading, ...asked) }),
    hint: (streamerId) => {
      feeds.hint(streamerId);
      webhooks.hint(streamerId);
    },
    webhooks: {
      ...{ endpoints: webhooks.endpoints, undelivered: webhooks.undelivered },
      ...{ rotate: webhooks.rotate, findRefusals: webhooks.findRefusals },
    },
    credentialsChanged: subscriptions.closeRevoked,
    streams: subscriptions.count,
    leave: subscriptions.leave,
    close: async () => {
      await webhooks.close();
      await subscriptions.close();
      await Promise.all(tasks.map(({ stop }) => stop()));
    },
  };
}

const isOld = "occurred_at < now() - interval '90 days'";

/** Deletes events older than 90 days, as the contract says. Resolves to true when there are more. */
export async function deleteOldEvents(knex: Knex): Promise<boolean> {
  if (isDistributed(knex)) return deleteByStreamer(knex);
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `delete from events where ctid = any(array(
       select ctid from events where ${isOld} order by occurred_at limit ${eventsPerCleanUp}))`,
  );
  return rowCount === eventsPerCleanUp;
}

/** Where the database is distributed: looks over all shards, at so many events at most, and deletes those of one streamer after the other. */
async function deleteByStreamer(knex: Knex): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { streamer: string; last: number; count: number }[] }>(
    `select streamer_id as streamer, max(sequence) as last, count(*)::int as count from (
       select streamer_id, sequence from events where ${isOld} order by occurred_at limit ${eventsPerCleanUp}
     ) as old group by streamer_id`,
  );
  for (const { streamer, last } of rows)
    await knex.raw(`delete from events where streamer_id = ? and sequence <= ? and ${isOld}`, [streamer, last]);
  return rows.reduce((sum, { count }) => sum + count, 0) === eventsPerCleanUp;
}
