// Tells every process within a second that a credential was revoked, without a query per request: one row holds a version that each
// revocation raises. Every process reads the row a few times a second and clears its caches when the version has changed.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

const pollMs = 250;
const staleAfterMs = 5_000;

export type CredentialChanges = {
  /** Rises with every revocation that this process has read. A cache compares it before and after a look-up. */
  version: () => number;
  /** False when the version could not be read for 5 seconds: cached credentials must not be accepted then. */
  isUpToDate: () => boolean;
  /** Reads the version now. Resolves when this process refuses everything that was revoked before the call. */
  catchUp: () => Promise<void>;
  stop: () => void;
};

/** Tells all processes, within the caller's transaction, that a credential was revoked. */
export async function raiseCredentialVersion(trx: Knex): Promise<void> {
  await trx("credential_changes").increment("version");
}

/** Starts polling. `onChange` loads what was revoked anywhere; a version counts as read only after `onChange` has resolved. */
export async function watchCredentialChanges(knex: Knex, log: Logger, onChange: () => Promise<void>): Promise<CredentialChanges> {
  let version = await readVersion(knex);
  await onChange(); // loads what was revoked before this version was read
  let appliedVersion = version;
  let readAt = performance.now();
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const catchUp = async () => {
    const startedAt = performance.now();
    const current = await readVersion(knex);
    if (current > appliedVersion) {
      // The version rises first, so that a look-up that began before it is not cached after onChange has cleared the caches.
      version = Math.max(version, current);
      await onChange();
      appliedVersion = Math.max(appliedVersion, current);
    }
    readAt = Math.max(readAt, startedAt);
  };
  const poll = async () => {
    try {
      await catchUp();
    } catch (error) {
      log.warn({ error: describeFailure(error) }, "can't read credential changes");
    }
    if (!stopped) timer = setTimeout(poll, pollMs);
  };
  timer = setTimeout(poll, pollMs);

  return {
    version: () => version,
    isUpToDate: () => performance.now() - readAt < staleAfterMs,
    catchUp,
    stop: () => {
      stopped = true;
      if (timer) clearTimeout(timer);
    },
  };
}

async function readVersion(knex: Knex): Promise<number> {
  const row = await knex("credential_changes").first("version");
  return Number(row.version);
}
