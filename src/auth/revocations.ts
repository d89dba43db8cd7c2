// Revocations: tokens and grants that are refused although signature and expiry are valid, and how every process learns within a second, without
// a query per request, that any credential was revoked. One row holds a version that each revocation raises. Every process reads the row a few
// times a second, and clears its caches and loads the denials when the version has changed.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { recordAudit } from "../audit/audit-log.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";

export type Denials = {
  /** Whether this process knows that the token or grant was revoked. */
  has: (id: string) => boolean;
  /**
   * Denies ids for as long as an access token can carry them: in this process at once, in others within a second. Runs in `trx` when
   * there is one.
   */
  deny: (ids: readonly string[], trx?: Knex) => Promise<void>;
  /** Denies one access token of a streamer, as its client asked for. */
  denyToken: (jti: string, owner: TokenOwner) => Promise<void>;
  /** Loads what any process has denied. */
  reload: () => Promise<void>;
};

type TokenOwner = Readonly<{ streamerId: string; client: string }>;

export type CredentialChanges = {
  /** Rises with every revocation that this process has read. A cache compares it before and after a look-up. */
  version: () => number;
  /** False when the version could not be read for 5 seconds: cached credentials must not be accepted then. */
  isUpToDate: () => boolean;
  /** Reads the version now. Resolves when this process refuses everything that was revoked before the call. */
  catchUp: () => Promise<void>;
  stop: () => void;
};

/** Seconds that an access token is valid. */
export const accessTokenLifetime = 3_600;
/** By how much the clocks of processes may differ. */
export const marginSeconds = 300;
const keepOwnMs = 60_000;
/** A client may revoke fifty tokens a second, so that there are very many: all are read once in this time, and recent ones in between. */
const readAllMs = 60_000;
const recentSeconds = 300; // longer than the time between two readings of all and the transaction of a denial together

const pollMs = 250;
const staleAfterMs = 5_000;

/** `writes`: the pool on which single tokens are denied, if it is another one: any client may revoke as many of its tokens as it likes. */
export async function loadDenials(knex: Knex, writes: Knex = knex): Promise<Denials> {
  let denied = new Set<string>();
  let readAllAt = Number.NEGATIVE_INFINITY; // by the wall clock: `performance.now()` may stop while the machine is suspended
  let reloads = 0;
  let newest = 0; // the last reload, by its number, whose result is in `denied`
  /** Ids that this process denied, and when: a reload may read the table before their transaction commits. */
  const own = new Map<string, number>();

  const deny: Denials["deny"] = async (ids, trx = knex) => {
    if (ids.length === 0) return;
    for (const id of ids) own.set(id, performance.now());
    // After a rollback they are not denied. A `trx` that is no transaction has no such promise.
    (trx as Knex.Transaction).executionPromise?.catch(() => {
      for (const id of ids) own.delete(id);
    });
    await trx("denials")
      .insert(ids.map((id) => ({ id, expires_at: knex.raw("now() + ? * interval '1 second'", [accessTokenLifetime + marginSeconds]) })))
      .onConflict("id")
      .ignore();
    await raiseCredentialVersion(trx);
  };

  const denyToken: Denials["denyToken"] = async (jti, { streamerId, client }) => {
    await writes.transaction(async (trx) => {
      await deny([jti], trx);
      await recordAudit(trx, { streamerId, action: "token.revoked", target: jti, details: { client } });
    });
  };

  /** Ids denied within the last `seconds`. */
  const readDenied = (seconds: number): Promise<string[]> =>
    knex("denials")
      .whereRaw("expires_at > now() + ? * interval '1 second'", [accessTokenLifetime + marginSeconds - seconds])
      .pluck("id");

  const reload = async () => {
    reloads += 1;
    const [number, startedAt] = [reloads, Date.now()];
    const isOfAll = Math.abs(startedAt - readAllAt) >= readAllMs;
    const ids = await readDenied(isOfAll ? accessTokenLifetime + marginSeconds : recentSeconds);
    if (isOfAll) readAllAt = startedAt;
    // A reload that began later may have found more.
    if (isOfAll && number > newest) denied = new Set(ids);
    else for (const id of ids) denied.add(id);
    newest = Math.max(newest, number);
    // After a minute the transaction is over, and a committed id is among those read.
    for (const [id, since] of own) if (performance.now() - since > keepOwnMs) own.delete(id);
  };

  await reload();
  return { has: (id) => denied.has(id) || own.has(id), deny, denyToken, reload };
}

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
