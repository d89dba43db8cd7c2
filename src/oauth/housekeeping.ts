// Deletes expired rows every hour. An expired token is refused like an unknown one, so deleting it changes no answer.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";

const intervalMs = 3_600_000;

// A used code or token stays until its grant expires, because using it again must revoke the grant.
const statements = [
  "delete from sessions where expires_at < now()",
  "delete from denials where expires_at < now()",
  "delete from signing_keys where retired_at < now() - interval '1 day'",
  "delete from oauth_refresh_tokens t using oauth_grants g where g.id = t.grant_id and g.expires_at < now()",
  "delete from oauth_codes c using oauth_grants g where g.id = c.grant_id and g.expires_at < now()",
  "delete from oauth_grants where expires_at < now() and not exists (select from oauth_codes c where c.grant_id = oauth_grants.id)",
];

/** Starts the hourly clean-up, which several processes may run at the same time. */
export function startHousekeeping(knex: Knex, log: Logger): IntervalTask {
  const failureMessage = "expired sessions, codes and tokens could not be deleted";
  return startIntervalTask({ pauseMs: intervalMs, log, failureMessage }, () => deleteExpired(knex));
}

/** Deletes what has expired. */
async function deleteExpired(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
