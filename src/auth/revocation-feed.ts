// How every process learns of revoked credentials within a second, without a query per request: one row holds a version
// that each revocation raises; every process reads it a few times a second and forgets what it had cached when it moved.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";

const pollMs = 250;
const blindAfterMs = 5_000;

export type CredentialChanges = {
  /** Raised by every revocation seen. Whoever caches compares it before and after reading. */
  version: () => number;
  /** False when the version could not be read for 5 seconds: nothing may be let in on cached knowledge. */
  sighted: () => boolean;
  /** Looks now: resolves when everything revoked before is refused here. */
  look: () => Promise<void>;
  stop: () => void;
};

/** Tells all processes, within the caller's transaction, that a credential was revoked. */
export async function raiseCredentialVersion(trx: Knex): Promise<void> {
  await trx("credential_changes").increment("version");
}

/** Starts watching. `onChange` takes in what was revoked anywhere; until it has, nothing counts as seen. */
export async function watchCredentialChanges(knex: Knex, log: Logger, onChange: () => Promise<void>): Promise<CredentialChanges> {
  let version = await readVersion(knex);
  await onChange(); // what was revoked before this version was read
  let takenIn = version;
  let seenAt = performance.now();
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  const look = async () => {
    const startedAt = performance.now();
    const current = await readVersion(knex);
    if (current > takenIn) {
      // First the version: what is being read from before it must not be cached when onChange has forgotten the rest.
      version = Math.max(version, current);
      await onChange();
      takenIn = Math.max(takenIn, current);
    }
    seenAt = Math.max(seenAt, startedAt);
  };
  const poll = async () => {
    try {
      await look();
    } catch (error) {
      log.warn({ error: describeFailure(error) }, "can't read credential changes");
    }
    if (!stopped) timer = setTimeout(poll, pollMs);
  };
  timer = setTimeout(poll, pollMs);

  return {
    version: () => version,
    sighted: () => performance.now() - seenAt < blindAfterMs,
    look,
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
