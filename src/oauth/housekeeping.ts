// Rows that can never matter again are deleted now and then: what has expired refuses the same as what is unknown.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

const everyMs = 3_600_000;

// A used code or token is kept as long as its replay must revoke something, that is as long as its grant lives.
const statements = [
  "delete from sessions where expires_at < now()",
  "delete from denials where expires_at < now()",
  "delete from signing_keys where retired_at < now() - interval '1 day'",
  "delete from oauth_refresh_tokens t using oauth_grants g where g.id = t.grant_id and g.expires_at < now()",
  "delete from oauth_codes c using oauth_grants g where g.id = c.grant_id and g.expires_at < now()",
  "delete from oauth_grants where expires_at < now() and not exists (select from oauth_codes c where c.grant_id = oauth_grants.id)",
];

/** Cleans up every hour, in any number of processes at once. Returns how to stop it. */
export function keepHouse(knex: Knex, log: Logger): () => void {
  const timer = setInterval(() => void tidy(knex).catch((error) => log.warn({ error: describeFailure(error) }, "can't tidy up")), everyMs);
  return () => clearInterval(timer);
}

/** Deletes what has expired. */
export async function tidy(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}
