// The applications that send a streamer's events to endpoints, or may do so.

import type { Knex } from "knex";
import type { Scope } from "../../../http/operations.ts";

export type WebhookApplication = Readonly<{
  id: string;
  name: string;
  /** False for an OAuth client. */
  isOwn: boolean;
  /** What the live credentials of the application may read of the streamer together; empty when it has none. */
  scopes: readonly Scope[];
  /** Ids of its endpoints for this streamer. */
  webhooks: readonly string[];
}>;

/** The streamer's own applications, and the others that have an endpoint for the streamer, by name. */
export async function webhookApplications(knex: Knex, streamerId: string): Promise<WebhookApplication[]> {
  const { rows } = await knex.raw<{ rows: WebhookApplication[] }>(
    `with endpoints as (
       select application_id, array_agg(id::text) as ids from webhook_endpoints
       where streamer_id = :streamerId and deleted_at is null group by application_id)
     select a.id, a.name, a.streamer_id is not null as "isOwn",
       coalesce(live_scopes(:streamerId, a.id), '{}') as scopes, coalesce(e.ids, '{}') as webhooks
     from applications a left join endpoints e on e.application_id = a.id
     where a.streamer_id = :streamerId or e.application_id is not null
     order by a.name, a.id`,
    { streamerId },
  );
  return rows;
}
