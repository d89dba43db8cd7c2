// Opens the events, and connects them with donations, goals, the notifier and the credentials.

import type { Knex } from "knex";
import type { BatchedReads } from "../db/batched-reads.ts";
import { pools } from "../db/pools.ts";
import { toRecord } from "../donations/donation.ts";
import { type DonationRow, fromRowAsRecorded, selectedAsRecorded } from "../donations/rows.ts";
import { type EventsService, openEvents } from "../events/open-events.ts";
import type { Notifier } from "../notifier/notifier.ts";
import { sumOfGoal } from "../reports/widgets.ts";
import type { AppDeps } from "./app-deps.ts";
import type { Security } from "./open-security.ts";

type Sources = { security: Security; notifier: Notifier; reads: BatchedReads; reportReads: Knex };

export function connectEvents(
  { config, database, log, metrics }: AppDeps,
  { security, notifier, reads, reportReads }: Sources,
): EventsService {
  const { credentials, cursors, sealer } = security;
  const events = openEvents({
    knex: database.pool(pools.events),
    deliveriesKnex: database.pool(pools.deliveries),
    requestsKnex: database.knex,
    reads,
    sealer,
    config,
    onAttempt: metrics.webhookAttempt,
    cursors,
    log,
    donations: { columns: selectedAsRecorded, toRecord: (row: DonationRow, reader) => toRecord(fromRowAsRecorded(row), reader) },
    sumGoal: (streamerId, goal) => sumOfGoal(reportReads, streamerId, goal),
    notify: notifier.notify,
    authenticator: credentials.authenticatorFor(config.baseUrl),
  });
  notifier.subscribe(events.hint);
  credentials.onChange(events.credentialsChanged);
  return events;
}
