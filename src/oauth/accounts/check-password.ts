// Checks a typed password: in turn with others, and as often as the throttle allows.

import { fairSlots } from "../../base/fair-slots.ts";
import { network } from "../../http/network.ts";
import { Problem } from "../../http/problem.ts";
import type { LoginAttempt, LoginThrottle } from "./login-throttle.ts";
import type { PasswordStore } from "./passwords.ts";
import type { VerifiedPassword } from "./verified-password.ts";

export type PasswordCheck = LoginAttempt & Readonly<{ password: string }>;

/** `wait`: seconds until another password is checked; 0: this one was. `verified`: null for a wrong handle or password. */
export type CheckedPassword = Readonly<{ wait: number; verified: VerifiedPassword | null }>;

type CheckDeps = Readonly<{ passwords: Pick<PasswordStore, "verifyPassword">; throttle: LoginThrottle }>;

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
export function checkPassword({ passwords, throttle }: CheckDeps, { password, ...attempt }: PasswordCheck): Promise<CheckedPassword> {
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
