// Writes what became of batches: those of all endpoints that are ready at the same time in one transaction, because each waits for the disk.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { preparedQuery } from "../../../db/prepared-query.ts";
import type { EventType } from "../../event.ts";
import type { Attempt } from "../deliveries.ts";
import { failRetries } from "../endpoints.ts";
import type { Health, Verdict } from "./retry-policy.ts";

/** What is written of a delivery. Times are milliseconds since 1970. */
export type Written = Verdict & Readonly<{ eventId: string; type: EventType; position: number; occurredAt: number; attempt: Attempt }>;

export type Progress = Readonly<{ endpointId: string; position: number; written: readonly Written[]; health: Health }>;

/** Writes what became of a batch. False when this process does not have the endpoint any more: then nothing is written. */
type Commit = (progress: Progress) => Promise<boolean>;

type Waiting = { progress: Progress; resolve: (isOurs: boolean) => void; reject: (error: unknown) => void };

/** Attempts that are kept of a delivery. */
const maxAttempts = 20;

/** `workerId`: of this process. Rejects with the error of the database. */
export function openCommits(knex: Knex, workerId: string): Commit {
  const write = async (of: Knex, all: readonly Progress[]): Promise<ReadonlySet<string>> => {
    const deliveries = all.flatMap(({ endpointId, written }) => written.map((one) => toDelivery(endpointId, one)));
    const values = [workerId, JSON.stringify(all.map(toEndpoint)), JSON.stringify(deliveries)];
    const rows = await preparedQuery<{ id: string }>(of, committing, values);
    return new Set(rows.map(({ id }) => id));
  };
  const batched = batchCommits((all) => write(knex, all));
  return (progress) => {
    if (progress.health.disabledReason === null) return batched(progress);
    return knex.transaction(async (trx) => {
      const isOurs = (await write(trx, [progress])).has(progress.endpointId);
      if (isOurs) await failRetries(trx, progress.endpointId);
      return isOurs;
    });
  };
}

/** Calls that arrive while a transaction is under way share the next one, one for each endpoint: a row can't be written twice in it. */
export function batchCommits(write: (all: readonly Progress[]) => Promise<ReadonlySet<string>>): Commit {
  let waiting: Waiting[] = [];
  let isRunning = false;
  const run = async () => {
    while (waiting.length > 0) {
      const now = new Map(waiting.toReversed().map((one) => [one.progress.endpointId, one])); // the first of each endpoint
      waiting = waiting.filter((one) => now.get(one.progress.endpointId) !== one);
      await settle(write, [...now.values()]);
    }
    isRunning = false;
  };
  return (progress) =>
    new Promise((resolve, reject) => {
      waiting.push({ progress, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      setImmediate(run);
    });
}

/** A batch that can't be written fails alone: the others are written one by one. */
async function settle(write: Parameters<typeof batchCommits>[0], all: readonly Waiting[]): Promise<void> {
  try {
    const ours = await write(all.map(({ progress }) => progress));
    for (const { progress, resolve } of all) resolve(ours.has(progress.endpointId));
  } catch (error) {
    const [only] = all;
    if (all.length === 1) return only?.reject(error);
    for (const one of all) await settle(write, [one]);
  }
}

function toEndpoint({ endpointId, position, health }: Progress) {
  const { failing, failedAt, pausedUntil, disabledReason } = health;
  return { id: endpointId, position, failing, failed_at: failedAt, paused_until: pausedUntil, disabled_reason: disabledReason };
}

function toDelivery(endpointId: string, one: Written) {
  const { eventId, type, position, occurredAt, status, failures, attempt, nextAttemptAt } = one;
  const times = { occurred_at: occurredAt, next_attempt_at: nextAttemptAt };
  return { endpoint_id: endpointId, event_id: eventId, type, position, status, failures, attempt, ...times };
}

/**
 * $1: id of the process; $2: endpoints, $3: deliveries, both as JSON. Endpoints are found and locked by their ids, and whose they are is asked
 * outside of that query: with conditions on both, a plan for few endpoints compares all endpoints with all of $2.
 */
const text = `
  with given as materialized (
    select * from jsonb_to_recordset(cast($2 as jsonb)) as b(id uuid, position bigint, failing text, failed_at bigint, paused_until bigint,
      disabled_reason text) order by id
  ),
  ours as materialized (
    select e.id from given b cross join lateral (
      select id, worker_id, deleted_at from webhook_endpoints where id = b.id offset 0 for no key update
    ) as e where e.worker_id = $1 and e.deleted_at is null
  ),
  mine as (
    update webhook_endpoints e set position = greatest(e.position, b.position),
      failing_since = case when b.failing = 'kept' then coalesce(e.failing_since, from_millis(b.failed_at)) else from_millis(b.failed_at) end,
      paused_until = coalesce(from_millis(b.paused_until), e.paused_until),
      disabled_reason = coalesce(e.disabled_reason, b.disabled_reason)
    from given b join ours on ours.id = b.id
    where e.id = b.id
    returning e.id
  ),
  written as (
    insert into webhook_deliveries as known
      (endpoint_id, event_id, type, position, occurred_at, status, failures, attempts, next_attempt_at)
    select mine.id, w.event_id, w.type, w.position, from_millis(w.occurred_at), w.status, w.failures, jsonb_build_array(w.attempt),
      from_millis(w.next_attempt_at)
    from mine join jsonb_to_recordset(cast($3 as jsonb)) as w(endpoint_id uuid, event_id uuid, type text, position bigint,
      occurred_at bigint, status text, failures smallint, attempt jsonb, next_attempt_at bigint) on w.endpoint_id = mine.id
    on conflict (endpoint_id, event_id) do update set status = excluded.status, failures = excluded.failures,
      attempts = case when jsonb_array_length(known.attempts) < ${maxAttempts} then known.attempts else known.attempts - 0 end || excluded.attempts,
      next_attempt_at = excluded.next_attempt_at
  )
  select id from mine`;

const committing = { name: `webhook commits ${hash("sha256", text).slice(0, 32)}`, text };
