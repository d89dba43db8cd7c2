// LISTEN_DATABASE_URL and READ_DATABASE_URL have to lead to the database of DATABASE_URL: the server itself, and a standby of it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { type AddressSetting, cannotBeUsed, nameOf } from "./connection-advice.ts";
import { isUnavailable, needsOperator } from "./failures.ts";
import { createPool } from "./pool.ts";

/** A standby is a copy of its primary, with the same system identifier (manual, pg_control_system). */
type Identity = { cluster: string; database: string; startedAt: string };

export async function identityOf(knex: Knex): Promise<Identity> {
  const { rows } = await knex.raw<{ rows: Identity[] }>(
    `select system_identifier::text as cluster, current_database() as database, pg_postmaster_start_time()::text as "startedAt"
     from pg_control_system()`,
  );
  return rows[0] as Identity;
}

export const isSameDatabase = (one: Identity, other: Identity): boolean => one.cluster === other.cluster && one.database === other.database;

/** How long a server is waited for that cannot say yet which database it has. The other settings serve without it. */
const waitMs = 5_000;
const retryMs = 500;

type Address = { setting: AddressSetting; url: string; log: Logger };

/**
 * Throws an Error that names the setting when an address leads to another database, or can never be used. One that does not answer in time is
 * named in the log: what needs it is done otherwise meanwhile. `knex`: on the database of DATABASE_URL.
 */
export async function requireSameDatabase(knex: Knex, config: Config, log: Logger): Promise<void> {
  const { listenDatabaseUrl, readDatabaseUrl, notifier } = config;
  if (readDatabaseUrl) await requireSame(knex, { setting: "READ_DATABASE_URL", url: readDatabaseUrl, log });
  if (!listenDatabaseUrl || notifier !== "postgres") return;
  const found = await requireSame(knex, { setting: "LISTEN_DATABASE_URL", url: listenDatabaseUrl, log });
  if (found && found.its.startedAt !== found.own.startedAt)
    log.warn("LISTEN_DATABASE_URL leads to another server than DATABASE_URL, such as its standby, where no notification arrives");
}

async function requireSame(knex: Knex, { setting, url, log }: Address): Promise<{ own: Identity; its: Identity } | null> {
  const own = await identityOf(knex);
  const its = await askIdentity({ setting, url, log });
  if (its && !isSameDatabase(own, its))
    throw new Error(
      `${setting} leads to another database than DATABASE_URL: to "${its.database}" of the cluster ${its.cluster}, not "${own.database}" of ${own.cluster}. ` +
        `Name ${setting === "READ_DATABASE_URL" ? "a standby" : "another address"} of the same database, or leave ${setting} unset.`,
    );
  return its && { own, its };
}

/** Null when it did not say in time. */
async function askIdentity({ setting, url, log }: Address): Promise<Identity | null> {
  const pool = createPool(url, { max: 1, applicationName: "donations start", connectTimeoutMs: 1_500, answerTimeoutMs: 1_500 }, log);
  const deadline = performance.now() + waitMs;
  try {
    for (;;) {
      try {
        return await identityOf(pool);
      } catch (cause) {
        if (!isUnavailable(cause) || needsOperator(cause))
          throw new Error(`${setting}: ${cannotBeUsed(setting, url, cause).message}`, { cause });
        if (performance.now() < deadline) await sleep(retryMs);
        else {
          log.warn(
            { error: describeFailure(cause) },
            `${setting}: ${nameOf(url)} does not answer, so nothing is known of its database yet`,
          );
          return null;
        }
      }
    }
  } finally {
    await pool.destroy();
  }
}
