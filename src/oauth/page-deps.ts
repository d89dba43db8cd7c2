// What the pages of this folder need, and how it is made.

import type { Knex } from "knex";
import { makeSite } from "../http/base-url.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { ConfiguredCounters } from "../http/rate-limits/stores.ts";
import { type KnownBrowsers, knownBrowsers } from "./accounts/browsers.ts";
import { type LoginThrottle, loginThrottle, noThrottle, unlockFinder } from "./accounts/check-password.ts";
import type { FailedLogins } from "./accounts/failed-logins.ts";
import { type PasswordStore, passwordStore } from "./accounts/passwords.ts";
import { findPreferences, type Preferences } from "./accounts/self-service.ts";
import { sessionStore } from "./accounts/sessions.ts";
import type { ClientDirectory } from "./clients/client-directory.ts";
import { type FormDeps, formTokenSealer } from "./forms.ts";
import type { GrantStore } from "./tokens/grants.ts";

export type PageDeps = FormDeps &
  Readonly<{
    clients: ClientDirectory;
    grants: GrantStore;
    passwords: PasswordStore;
    /** What the streamer has saved; null: nothing. */
    preferences: (streamerId: string) => Promise<Preferences | null>;
    throttle: LoginThrottle;
    /** In which a streamer logged in before. */
    browsers: KnownBrowsers;
    /** The pages that a login may lead to. The first is used when the login link names none. */
    destinations: readonly [string, ...string[]];
  }>;

export type OpenPageDeps = Pick<PageDeps, "clients" | "grants" | "limits" | "destinations"> & {
  knex: Knex;
  config: Readonly<{ brand: string; baseUrl: string }>;
  /** Null when rate limits are off: passwords can then be guessed without limit. */
  failures: ConfiguredCounters | null;
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
