// What the studio needs of the streamer's own account: password, sessions and preferences.

import type { Account } from "../../ui/accounts.ts";
import type { Language } from "../../ui/reader.ts";

/** Of the IANA database. */
export type Preferences = Readonly<{ timeZone: string; language: Language }>;

/** A live session. `browser`: such as `Chrome, Windows`; null for unknown. `isThis`: of the browser that asks. */
export type SessionEntry = Readonly<{ id: string; browser: string | null; createdAt: Date; lastUsedAt: Date; isThis: boolean }>;

/** Failed logins of a minute. `networks`: how many; `from`: some of them, and `browsers` names of browsers, those with the most attempts first. */
export type FailedLogin = Readonly<{ at: Date; attempts: number; networks: number; from: readonly string[]; browsers?: readonly string[] }>;

/** The streamer's own account. */
export type SelfService = Readonly<{
  /** In code points. */
  passwordLength: Readonly<{ minimum: number; maximum: number }>;
  /** Ends all other sessions, too. `wrong`: the current password is another one. `tooMany`: too many wrong ones for so many seconds. */
  changePassword: (
    change: Readonly<{ account: Account; current: string; next: string; address: string; cookie: string | undefined }>,
  ) => Promise<Readonly<{ is: "changed"; cookies: readonly string[] } | { is: "wrong" } | { is: "tooMany"; seconds: number }>>;
  /** The last ones first, each line those of a minute. */
  failedLogins: (streamerId: string) => Promise<readonly FailedLogin[]>;
  /** Used last first. */
  sessions: (account: Account) => Promise<readonly SessionEntry[]>;
  /** Logs the streamer out in one browser. Resolves to whether it was logged in. */
  endSession: (streamerId: string, id: string) => Promise<boolean>;
  /** Logs the streamer out in every browser. */
  endSessions: (streamerId: string) => Promise<void>;
  /** Null: none were saved. */
  preferences: (streamerId: string) => Promise<Preferences | null>;
  savePreferences: (streamerId: string, preferences: Preferences) => Promise<void>;
}>;
