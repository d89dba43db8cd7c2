// Checks a typed password: in turn with others, and as often as the throttle allows. The throttle limits guesses per network, per handle, and
// for each browser in which the streamer logged in before; the operator can unlock a streamer whose logins are locked.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { fairSlots } from "../../base/fair-slots.ts";
import { network } from "../../http/addresses.ts";
import { Problem } from "../../http/problem.ts";
import { type Buckets, failureLimit, memoryBuckets, type Policy } from "../../http/rate-limits/token-bucket.ts";
import type { PasswordStore } from "./passwords.ts";
import type { VerifiedPassword } from "./sessions.ts";

type LoginAttempt = Readonly<{
  handle: string;
  address: string;
  /** Id of a browser in which the streamer logged in before, or of a live session; null for any other browser. */
  browser: string | null;
  /** Name of the browser, such as `Chrome, Windows`; null for unknown. */
  browserName: string | null;
}>;

/** `wait`: seconds to wait, without a failure: nothing was guessed; 0 when the password may be checked. */
type Admission = Readonly<{
  wait: number;
  /** Takes the counted failure back, after the right password or when none was checked. */
  forgive: () => Promise<void>;
}>;

export type LoginThrottle = Readonly<{
  /** Counts a failure before the password is checked, so that guesses that run at the same time are counted too. */
  attempt: (attempt: LoginAttempt) => Promise<Admission>;
}>;

/** The id of the unlock of a handle by the operator that is in force; null: none is. */
type FindUnlock = (handle: string) => Promise<string | null>;

type PasswordCheck = LoginAttempt & Readonly<{ password: string }>;

/** `wait`: seconds until another password is checked; 0: this one was. `verified`: null for a wrong handle or password. */
type CheckedPassword = Readonly<{ wait: number; verified: VerifiedPassword | null }>;

type Checks = Readonly<{ passwords: Pick<PasswordStore, "verifyPassword">; throttle: LoginThrottle }>;

/** How long the failures of networks and handles count, and so does an unlock. In seconds. */
const lockSeconds = 15 * 60;
// A network reaches its limit before a handle does, so that nobody can lock a streamer out from one place.
const perAddress = failureLimit("login-address", { quota: 20, window: lockSeconds });
const perHandle = failureLimit("login-handle", { quota: 40, window: lockSeconds });
/** Few, because a cookie can be stolen. A browser beyond counts as any other. */
const perBrowser = failureLimit("login-browser", { quota: 10, window: 6 * 60 * 60 });
const perUnlock = failureLimit("login-unlock", { quota: 20, window: lockSeconds });

/** Rows of the operator's chain among which unlocks are looked for. */
const maxLines = 1_000;
/** How long what was read counts, so that a flood of refused logins costs one statement in this time. */
const keptMs = 1_000;

/** Of a check whose turn did not come, in seconds. */
const retryAfter = 10;
const limits = {
  waitMs: 30_000,
  favoursShortest: true,
  tooMany: () => new Problem("unavailable", "Too many people are logging in at once.", { headers: { "Retry-After": String(retryAfter) } }),
};

/**
 * Each hash takes 32 MiB and a third of a second of one core, so few are computed at once. Networks take turns. Browsers in which the streamer
 * logged in before have a place of their own, in which streamers take turns: a flood from many networks does not keep them out.
 */
const turns = {
  unknown: fairSlots({ ...limits, max: 2, maxWaiting: 250, maxWaitingOfKey: 150 }), // half of the pages that may be under way at once
  known: fairSlots({ ...limits, max: 1, maxWaiting: 50, maxWaitingOfKey: 10 }),
};

/** Runs a task that hashes passwords, in turn. Throws unavailable when its turn does not come. */
export function hashInTurn<Result>({ browser, handle, address }: LoginAttempt, task: () => Promise<Result>): Promise<Result> {
  return browser === null ? turns.unknown(network(address), task) : turns.known(handle, task);
}

/** Throws as hashInTurn, or when the password can't be checked; neither counts as a failure. */
export function checkPassword({ passwords, throttle }: Checks, { password, ...attempt }: PasswordCheck): Promise<CheckedPassword> {
  return hashInTurn(attempt, async () => {
    const { wait, forgive } = await throttle.attempt(attempt);
    if (wait > 0) return { wait, verified: null };
    const verified = await passwords.verifyPassword(attempt.handle, password).catch(async (error: unknown) => {
      await forgive();
      throw error;
    });
    if (verified) await forgive();
    return { wait, verified };
  });
}

/** Counts in this process, or wherever `buckets` count. */
export function loginThrottle(buckets: Buckets = memoryBuckets(), findUnlock: FindUnlock = async () => null): LoginThrottle {
  const admit = admission(buckets);
  const admitKnown = async (browser: string | null) => (browser === null ? null : admit([perBrowser, browser]));
  const admitUnlocked = async (handle: string) => {
    const unlock = await findUnlock(handle);
    return unlock === null ? null : admit([perUnlock, unlock]);
  };
  return {
    attempt: async ({ handle, address, browser }) => {
      const known = await admitKnown(browser);
      if (known?.wait === 0) return known;
      const unknown = await admit([perAddress, network(address)], [perHandle, handleKey(handle)]);
      if (unknown.wait === 0) return unknown;
      const unlocked = await admitUnlocked(handle);
      return unlocked?.wait === 0 ? unlocked : unknown;
    },
  };
}

/** For RATE_LIMITS=off. */
export const unlimitedLogins: LoginThrottle = { attempt: async () => ({ wait: 0, forgive: async () => {} }) };

/** Counts a failure by each of these keys, or by none when one has reached its limit. */
function admission(buckets: Buckets) {
  return async (...keys: readonly [limit: Policy, key: string][]): Promise<Admission> => {
    const counted: [limit: Policy, key: string][] = [];
    const forgive = async () => {
      for (const [limit, key] of counted) await buckets.take(limit, key, -1);
    };
    for (const [limit, key] of keys) {
      const { allowed, wait } = await buckets.take(limit, key);
      if (!allowed) {
        await forgive();
        return { wait, forgive: async () => {} };
      }
      counted.push([limit, key]);
    }
    return { wait: 0, forgive };
  };
}

/** Cuts what was typed in to a character more than the longest possible handle, so that made-up handles cannot fill the memory. */
export function handleKey(handle: string): string {
  return handle.slice(0, 40);
}

/** Lets the streamer try again, wherever the locked attempts came from. Every process knows it a second later. */
export function unlockLogins(knex: Knex, streamerId: string): Promise<void> {
  return knex.transaction((trx) => recordAudit(trx, { streamerId: null, action: "login.unlocked", target: streamerId }));
}

/** `now`: in milliseconds. */
export function unlockFinder(knex: Knex, now: () => number = () => performance.now()): FindUnlock {
  let readAt = Number.NEGATIVE_INFINITY;
  let unlocks: Promise<ReadonlyMap<string, string>> = Promise.resolve(new Map());
  return async (handle) => {
    if (now() - readAt >= keptMs) {
      readAt = now();
      unlocks = readUnlocks(knex);
    }
    return (await unlocks).get(handle) ?? null;
  };
}

/** By handle: the number of the line of its last unlock that is in force. */
async function readUnlocks(knex: Knex): Promise<ReadonlyMap<string, string>> {
  const { rows } = await knex.raw<{ rows: { handle: string; number: string }[] }>(
    `select h.handle, max(l.number)::text as number
     from (select entry::jsonb as entry, number from audit_log
           where chain = 'operator' and at > now() - ? * interval '1 second' order by number desc limit ?) as l
     join streamer_handles h on h.streamer_id::text = l.entry ->> 'target'
     where l.entry ->> 'action' = 'login.unlocked' group by h.handle`,
    [lockSeconds, maxLines],
  );
  return new Map(rows.map(({ handle, number }) => [handle, number]));
}
