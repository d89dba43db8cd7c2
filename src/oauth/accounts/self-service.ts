// What streamers change about their own account: password, sessions, time zone and language.

import type { Knex } from "knex";
import { audited, recordAudit } from "../../audit/audit-log.ts";
import { findLatest } from "../../audit/find-lines.ts";
import type { Language } from "../../ui/reader.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import type { PageDeps } from "../forms.ts";
import { checkPassword, hashInTurn } from "./check-password.ts";
import { passwordLength } from "./passwords.ts";
import { endSession, endSessions, listSessions, type SessionEntry } from "./sessions.ts";

/** `cookie`: the header Cookie. */
type PasswordChange = Readonly<{ account: Account; current: string; next: string; address: string; cookie: string | undefined }>;

/**
 * `cookies`: Set-Cookie lines of the answer. `wrong`: the current password is another one. `tooMany`: too many wrong ones; try again after so
 * many seconds.
 */
type PasswordOutcome = Readonly<{ is: "changed"; cookies: readonly string[] } | { is: "wrong" } | { is: "tooMany"; seconds: number }>;

/** Failed logins of a minute. `networks`: how many; `from`: some of them, and `browsers` names of browsers, those with the most attempts first. */
export type FailedLogin = Readonly<{ at: Date; attempts: number; networks: number; from: readonly string[]; browsers?: readonly string[] }>;

export type Preferences = Readonly<{
  /** Of the IANA database. */
  timeZone: string;
  language: Language;
}>;

export type SelfService = ReturnType<typeof selfService>;

/** Lines of failed logins that a streamer is shown: the latest, of the latest lines of the streamer's audit log. */
const failedLogins = { lines: 20, among: 1_000 };

export function selfService({ knex, passwords, throttle, browsers }: PageDeps) {
  return {
    passwordLength,

    /** Changes the password and ends the streamer's other sessions. Guesses count for the session. Throws for a bad length. */
    changePassword: async ({ account, current, next, address, cookie }: PasswordChange): Promise<PasswordOutcome> => {
      const { id, handle } = account.streamer;
      const attempt = { handle, address, browser: account.sessionKey, browserName: null };
      const { wait, verified } = await checkPassword({ passwords, throttle }, { ...attempt, password: current });
      if (wait > 0) return { is: "tooMany", seconds: wait };
      if (verified?.streamerId !== id) return { is: "wrong" };
      const setting = { kept: account.sessionKey, replaces: verified };
      const changedAt = await hashInTurn(attempt, () => passwords.setPassword(id, next, setting));
      return changedAt === null ? { is: "wrong" } : { is: "changed", cookies: [browsers.remember(cookie, handle, { changedAt })] };
    },

    /** The latest failed logins of the streamer, counted by the minute; the last ones first. */
    failedLogins: async (streamerId: string): Promise<FailedLogin[]> => {
      const found = await findLatest(knex, { chain: streamerId, action: "login.failed", ...failedLogins });
      return found.map(({ at, details }) => ({ at: new Date(at), ...(details as Omit<FailedLogin, "at">) }));
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

/** The streamer's preferences; null when none were saved. */
export async function findPreferences(knex: Knex, streamerId: string): Promise<Preferences | null> {
  const row = await knex("streamer_preferences").where({ streamer_id: streamerId }).first({ timeZone: "time_zone", language: "language" });
  return row ?? null;
}

/** The caller has checked both. */
export async function savePreferences(knex: Knex, streamerId: string, { timeZone, language }: Preferences): Promise<void> {
  const row = { time_zone: timeZone, language };
  await knex("streamer_preferences")
    .insert({ streamer_id: streamerId, ...row })
    .onConflict("streamer_id")
    .merge(row);
}
