// What streamers change about their own account: password, sessions, time zone and language.

import type { Knex } from "knex";
import { audited, recordAudit } from "../../audit/audit-log.ts";
import type { Account } from "../../ui/accounts.ts";
import type { LoginThrottle } from "./login-throttle.ts";
import { type PasswordStore, passwordLength } from "./passwords.ts";
import { findPreferences, type Preferences, savePreferences } from "./preferences.ts";
import { endSession, endSessions, listSessions, type SessionEntry } from "./sessions.ts";

export type PasswordChange = Readonly<{ account: Account; current: string; next: string; address: string }>;

/** `wrong`: the current password is another one. `tooMany`: too many wrong ones; try again after so many seconds. */
export type PasswordOutcome = Readonly<{ is: "changed" } | { is: "wrong" } | { is: "tooMany"; seconds: number }>;

export type SelfService = ReturnType<typeof selfService>;

type SelfServiceDeps = Readonly<{
  knex: Knex;
  passwords: Pick<PasswordStore, "verifyPassword" | "setPassword">;
  throttle: LoginThrottle;
}>;

export function selfService({ knex, passwords, throttle }: SelfServiceDeps) {
  return {
    passwordLength,

    /** Changes the password and ends the streamer's other sessions. Guesses count like those of the login. Throws for a bad length. */
    changePassword: async ({ account, current, next, address }: PasswordChange): Promise<PasswordOutcome> => {
      const { id, handle } = account.streamer;
      const seconds = await throttle.attempt(handle, address);
      if (seconds > 0) return { is: "tooMany", seconds };
      const verified = await passwords.verifyPassword(handle, current).catch(async (error: unknown) => {
        await throttle.forgive(handle, address); // it was not checked
        throw error;
      });
      if (verified?.streamerId !== id) return { is: "wrong" };
      await throttle.forgive(handle, address);
      const isChanged = await passwords.setPassword(id, next, { kept: account.sessionKey, replaces: verified });
      return { is: isChanged ? "changed" : "wrong" };
    },

    /** The streamer's live sessions, those used last first. */
    sessions: ({ streamer, sessionKey }: Account): Promise<SessionEntry[]> => listSessions(knex, streamer.id, sessionKey),

    /** Logs the streamer out in one browser. Resolves to whether it was logged in. */
    endSession: (streamerId: string, id: string): Promise<boolean> =>
      knex.transaction(async (trx) => {
        const isEnded = await endSession(trx, streamerId, id);
        if (isEnded) await recordAudit(trx, { streamerId, action: "session.ended", target: streamerId });
        return isEnded;
      }),

    /** Logs the streamer out in every browser. */
    endSessions: (streamerId: string): Promise<void> =>
      audited(
        knex,
        (trx) => endSessions(trx, streamerId),
        () => ({ streamerId, action: "sessions.ended", target: streamerId }),
      ),

    preferences: (streamerId: string): Promise<Preferences | null> => findPreferences(knex, streamerId),

    savePreferences: (streamerId: string, preferences: Preferences): Promise<void> =>
      audited(
        knex,
        (trx) => savePreferences(trx, streamerId, preferences),
        () => ({ streamerId, action: "preferences.changed", target: streamerId }),
      ),
  };
}
