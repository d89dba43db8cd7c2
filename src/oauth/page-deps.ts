// What the pages of this room are made of.

import type { Knex } from "knex";
import { makeSite, type Site } from "../http/base-url.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { FailureCounters } from "../http/rate-limits/failure-counters.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { ClientDirectory } from "./client-directory.ts";
import { type Transactions, transactionSealer } from "./form-tokens.ts";
import type { GrantStore } from "./grants.ts";
import { type LoginThrottle, loginThrottle, noThrottle } from "./login-throttle.ts";
import { type PasswordStore, passwordStore } from "./passwords.ts";
import { type SessionStore, sessionStore } from "./sessions.ts";

export type PageParts = Readonly<{
  site: Site;
  clients: ClientDirectory;
  grants: Pick<GrantStore, "approve" | "revoke" | "connections">;
  passwords: Pick<PasswordStore, "verifyPassword">;
  sessions: SessionStore;
  transactions: Transactions;
  throttle: LoginThrottle;
  limits: Pick<Limits, "spend">;
  /** Pages of ours that a login may lead to; the first when none is asked for. */
  destinations: readonly [string, ...string[]];
}>;

export type PageFoundations = Pick<PageParts, "clients" | "grants" | "limits" | "destinations"> & {
  knex: Knex;
  config: Readonly<{ brand: string; baseUrl: string }>;
  /** Null: passwords may be guessed. */
  failures: FailureCounters | null;
  /** Seals what forms carry; all processes share its key. */
  codec: CursorCodec;
};

export function makePageParts({ knex, config, failures, codec, ...handedOn }: PageFoundations): PageParts {
  const site = makeSite(config);
  return {
    ...handedOn,
    site,
    passwords: passwordStore(knex),
    sessions: sessionStore(knex, site, codec),
    transactions: transactionSealer(codec),
    throttle: failures ? loginThrottle(failures) : noThrottle,
  };
}
