// Opens the events: their operations, and the tasks that keep the log.

import type { Knex } from "knex";
import type { Credentials } from "../auth/credentials.ts";
import type { BatchedReads } from "../db/batched-reads.ts";
import type { ProcessDeps } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import type { Sealer } from "../db/secrets.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Notifier } from "../notifier/notifier.ts";
import { sumsOfGoals } from "../reports/widgets.ts";
import { startIntervalTask } from "../telemetry/interval-task.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { openFeeds } from "./feeds.ts";
import { settleGoals } from "./goals.ts";
import * as handlers from "./handlers.ts";
import { eventLog } from "./log.ts";
import { openSubscriptions } from "./subscriptions.ts";
import { openTickets } from "./tickets.ts";
import { settleTimers, timerOperations } from "./timers.ts";
import { openWebhooks, type WebhooksService } from "./webhooks/open-webhooks.ts";

type EventSources = Readonly<{
  credentials: Credentials;
  cursors: CursorCodec;
  sealer: Sealer;
  notifier: Notifier;
  reads: BatchedReads;
  reportReads: Knex;
}>;

export type EventsService = ReturnType<typeof openEvents>;

const goalsMs = 1_000;
const timersMs = 1_000;
const cleanUpMs = 600_000;
const eventsPerCleanUp = 5_000;

export function openEvents(deps: ProcessDeps, sources: EventSources) {
  const { config, database, log, metrics } = deps;
  const { credentials, cursors, sealer, notifier, reads, reportReads } = sources;
  const knex = database.pool(pools.events);
  const events = eventLog(knex, reads);
  const feeds = openFeeds(events);
  const authenticator = credentials.authenticatorFor(config.baseUrl);
  const subscriptions = openSubscriptions({ feeds, cursors, log, authenticator });
  const tickets = openTickets(knex);
  const tasks = [
    startIntervalTask({ pauseMs: goalsMs, log, failureMessage: "can't find the goals that were reached" }, async () => {
      const { reached, hasMore } = await settleGoals(knex, (streamerId, goals) => sumsOfGoals(reportReads, streamerId, goals));
      for (const streamerId of reached) notifier.notify(streamerId);
      return hasMore;
    }),
    startIntervalTask({ pauseMs: timersMs, log, failureMessage: "can't count the timers" }, async () => {
      const { changed, hasMore } = await settleTimers(knex);
      for (const streamerId of changed) notifier.notify(streamerId);
      return hasMore;
    }),
    startIntervalTask({ pauseMs: cleanUpMs, log, failureMessage: "can't delete old events" }, async () => {
      await tickets.deleteExpired();
      return deleteOldEvents(knex);
    }),
  ];
  const webhooks = openWebhooks(deps, knex, { sealer, cursors });
  notifier.subscribe((streamerId) => {
    feeds.hint(streamerId);
    webhooks.hint(streamerId);
  });
  credentials.onChange(subscriptions.closeRevoked);
  metrics.gauge("event_streams", "Streams of events of this process.", subscriptions.count);
  watchWebhooks(webhooks, metrics);
  const follow = handlers.makeFollow(events, cursors, subscriptions);
  return {
    operations: {
      listEvents: handlers.listEvents(events, cursors),
      streamEvents: handlers.streamEvents(follow),
      createEventTicket: handlers.createEventTicket(tickets),
      ...timerOperations(database.knex, notifier.notify),
      ...webhooks.operations,
    },
    /** What WebSockets do, once their credential is verified. */
    sockets: { follow },
    redeem: tickets.redeem,
    /** What the studio does beside the operations of webhooks. */
    webhooks: { rotate: webhooks.rotate, findRefusals: webhooks.findRefusals },
    /** Ends all streams, because the server stops. */
    leave: subscriptions.leave,
    close: async () => {
      await webhooks.close();
      await subscriptions.close();
      await Promise.all(tasks.map(({ stop }) => stop()));
    },
  };
}

function watchWebhooks({ undelivered, endpoints }: WebhooksService, metrics: Metrics): void {
  metrics.databaseGauge({
    name: "webhook_undelivered_seconds",
    help: "Age of the oldest event that has not arrived, by state: waiting (for its first attempt), retrying, failing (waits at an endpoint whose last attempt failed), disabled (waits at a disabled endpoint).",
    read: undelivered,
  });
  metrics.databaseGauge({
    name: "webhook_endpoints",
    help: "Webhooks by state: working, failing (the last attempt failed), disabled.",
    read: endpoints,
  });
}

const isOld = "occurred_at < now() - interval '90 days'";

/**
 * Deletes events older than 90 days, as the contract says, those of one streamer after the other. Resolves to true when there are more. Looks
 * over all streamers, at so many events at most.
 */
export async function deleteOldEvents(knex: Knex): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { streamer: string; last: number; count: number }[] }>(
    `select streamer_id as streamer, max(sequence) as last, count(*)::int as count from (
       select streamer_id, sequence from events where ${isOld} order by occurred_at limit ${eventsPerCleanUp}
     ) as old group by streamer_id`,
  );
  for (const { streamer, last } of rows)
    await knex.raw(`delete from events where streamer_id = ? and sequence <= ? and ${isOld}`, [streamer, last]);
  return rows.reduce((sum, { count }) => sum + count, 0) === eventsPerCleanUp;
}
