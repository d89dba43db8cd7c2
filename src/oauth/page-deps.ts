// What the pages of this folder need, and how it is made.

import type { Knex } from "knex";
import { makeSite, type Site } from "../http/base-url.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { ConfiguredCounters } from "../http/rate-limits/failure-counters.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { FailedLogins } from "./accounts/failed-logins.ts";
import { type KnownBrowsers, knownBrowsers } from "./accounts/known-browsers.ts";
import { type LoginThrottle, loginThrottle, noThrottle } from "./accounts/login-throttle.ts";
import { type PasswordStore, passwordStore } from "./accounts/passwords.ts";
import { findPreferences, type Preferences } from "./accounts/preferences.ts";
import { type SessionStore, sessionStore } from "./accounts/sessions.ts";
import { unlockFinder } from "./accounts/unlocks.ts";
import type { ClientDirectory } from "./clients/client-directory.ts";
import { type FormTokens, formTokenSealer } from "./form-tokens.ts";
import type { GrantStore } from "./tokens/grants.ts";

export type PageDeps = Readonly<{
  site: Site;
  clients: ClientDirectory;
  grants: Pick<GrantStore, "approve" | "revoke" | "connections">;
  passwords: Pick<PasswordStore, "verifyPassword" | "setPassword">;
  sessions: SessionStore;
  /** What the streamer has saved; null: nothing. */
  preferences: (streamerId: string) => Promise<Preferences | null>;
  formTokens: FormTokens;
  throttle: LoginThrottle;
  /** In which a streamer logged in before. */
  browsers: KnownBrowsers;
  limits: Pick<Limits, "spend">;
  /** The pages that a login may lead to. The first is used when the login link names none. */
  destinations: readonly [string, ...string[]];
}>;

export type OpenPageDeps = Pick<PageDeps, "clients" | "grants" | "limits" | "destinations"> & {
  knex: Knex;
  config: Readonly<{ brand: string; baseUrl: string }>;
  /** Null when rate limits are off: passwords can then be guessed without limit. */
  failures: Pick<ConfiguredCounters, "counters"> | null;
  failedLogins: Pick<FailedLogins, "counting">;
  /** Seals form tokens and cookies; all processes share its key. */
  codec: CursorCodec;
};

export function makePageDeps({ knex, config, failures, failedLogins, codec, ...passedThrough }: OpenPageDeps): PageDeps {
  const site = makeSite(config);
  const passwords = passwordStore(knex);
  return {
    ...passedThrough,
    site,
    passwords,
    preferences: (streamerId) => findPreferences(knex, streamerId),
    sessions: sessionStore(knex, site, codec),
    formTokens: formTokenSealer(codec),
    throttle: failedLogins.counting(failures ? loginThrottle(failures.counters, unlockFinder(knex)) : noThrottle),
    browsers: knownBrowsers({ site, codec, findChangedAt: passwords.findChangedAt }),
  };
}
