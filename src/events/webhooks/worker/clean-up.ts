// Deletes what is too old, and disables the endpoints of applications that were disconnected.

import type { Knex } from "knex";
import { retentionMs } from "../endpoints/deliveries.ts";

const rowsPerCleanUp = 5_000;
const batch = `limit ${rowsPerCleanUp}`;

/** Resolves to true when there is more to delete. */
export async function cleanUpWebhooks(knex: Knex): Promise<boolean> {
  const deleted = async (sql: string) => (await knex.raw<{ rowCount: number }>(sql)).rowCount;
  const old = await deleted(
    `delete from webhook_deliveries where ctid = any(array(select ctid from webhook_deliveries
     where created_at < now() - interval '${retentionMs / 1000} seconds' order by created_at ${batch}))`,
  );
  const orphaned = await deleted(
    `delete from webhook_deliveries where ctid = any(array(select d.ctid from webhook_endpoints e
     join webhook_deliveries d on d.endpoint_id = e.id where e.deleted_at is not null ${batch}))`,
  );
  await knex.raw(
    `delete from webhook_endpoints e where deleted_at is not null and not exists (select from webhook_deliveries d where d.endpoint_id = e.id)`,
  );
  await knex.raw("delete from webhook_workers where alive_until < now() - interval '1 hour'");
  return old === rowsPerCleanUp || orphaned === rowsPerCleanUp;
}

/** An endpoint without a credential of its application gets nothing; this says so also where nothing happens. */
export async function disableDisconnected(knex: Knex): Promise<void> {
  await knex.raw(
    `with disconnected as (
       update webhook_endpoints set disabled_reason = 'disconnected'
       where deleted_at is null and disabled_reason is null and live_scopes(streamer_id, application_id) is null returning id
     )
     update webhook_deliveries set status = 'failed', next_attempt_at = null
     where endpoint_id in (select id from disconnected) and status = 'retrying'`,
  );
}
