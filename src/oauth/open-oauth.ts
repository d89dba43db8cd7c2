// Opens the authorization server: its operations, its pages and its hourly clean-up.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Denials } from "../auth/denials.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";
import { fairSlots } from "../base/fair-slots.ts";
import type { Config } from "../config.ts";
import type { BatchedReads } from "../db/batched-reads.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Handlers, Scope } from "../http/operations.ts";
import type { ConfiguredCounters } from "../http/rate-limits/failure-counters.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { PageRoutes } from "../ui/serve-pages.ts";
import { type Accounts, streamerPages } from "../ui/streamer-pages.ts";
import { makeAccounts } from "./accounts/accounts.ts";
import { openFailedLogins } from "./accounts/failed-logins.ts";
import { type SelfService, selfService } from "./accounts/self-service.ts";
import { authorize } from "./authorize.ts";
import { clientAuthentication } from "./clients/client-authentication.ts";
import { clientDirectory } from "./clients/client-directory.ts";
import { clientStore } from "./clients/clients.ts";
import { fetchDocuments } from "./clients/fetch-document.ts";
import { type OwnClients, ownClients } from "./clients/own-clients.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { getServerMetadata, getSigningKeys } from "./metadata.ts";
import { makePageDeps } from "./page-deps.ts";
import { oauthPages } from "./page-routes.ts";
import { failureThrottle, noThrottle } from "./throttle.ts";
import { clientAndTokenFinder } from "./tokens/client-and-token.ts";
import { grantStore } from "./tokens/grants.ts";
import { revocationSlots, revokeToken } from "./tokens/revoke.ts";
import { issueToken } from "./tokens/token.ts";

export type OAuthDeps = {
  knex: Knex;
  reads: BatchedReads;
  /** A pool of one connection, for rotations of refresh tokens. */
  rotationsKnex: Knex;
  /** A separate pool for pages, which anybody can request any number of times. */
  pagesKnex: Knex;
  config: Pick<Config, "brand" | "baseUrl" | "clientDocuments">;
  /** Seals form tokens and cookies. */
  codec: CursorCodec;
  denials: Denials;
  signingKeys: SigningKeys;
  /** All scopes of the contract. */
  scopes: readonly Scope[];
  limits: Pick<Limits, "spend">;
  /** Count failed logins and client authentications. Null when rate limits are off. */
  failures: ConfiguredCounters | null;
  log: Logger;
};

export type OAuthService = {
  operations: Pick<Handlers, "issueToken" | "revokeToken" | "authorize" | "getServerMetadata" | "getSigningKeys">;
  pages: PageRoutes;
  /** For pages of other folders. */
  accounts: Accounts;
  selfService: SelfService;
  ownClients: OwnClients;
  /** Writes what is still to be recorded. */
  close: () => Promise<void>;
};

export function openOAuth({
  knex,
  reads,
  rotationsKnex,
  pagesKnex,
  config,
  codec,
  denials,
  signingKeys,
  scopes,
  limits,
  failures,
  log,
}: OAuthDeps): OAuthService {
  const { brand, baseUrl } = config;
  const store = clientStore(knex, reads);
  const fetchDocument = fetchDocuments(config.clientDocuments);
  const clients = clientDirectory({ store: clientStore(pagesKnex), fetchDocument, scopes, failures });
  const grants = grantStore(knex, denials, brand, rotationsKnex);
  const throttle = failures ? failureThrottle(failures.ofContract("failed-client")) : noThrottle;
  const authenticateClient = clientAuthentication(throttle);
  const failedLogins = openFailedLogins(pagesKnex, log);
  const housekeeping = startHousekeeping(knex, log);
  const pages = makePageDeps({
    knex: pagesKnex,
    failedLogins,
    config,
    failures,
    codec,
    clients,
    grants: grantStore(pagesKnex, denials, brand),
    limits,
    destinations: streamerPages,
  });
  return {
    operations: {
      issueToken: issueToken({
        baseUrl,
        authenticateClient,
        findClientAndToken: clientAndTokenFinder(reads),
        grants,
        signingKeys,
        limits,
      }),
      revokeToken: revokeToken({
        brand,
        authenticateClient,
        clients: store,
        grants,
        signingKeys,
        denials,
        slots: fairSlots(revocationSlots),
      }),
      authorize: authorize(pages),
      getServerMetadata: getServerMetadata({ baseUrl, scopes, clientDocuments: fetchDocument !== null }),
      getSigningKeys: getSigningKeys({ signingKeys }),
    },
    pages: oauthPages(pages),
    accounts: makeAccounts(pages),
    selfService: selfService({ knex: pagesKnex, ...pages }),
    ownClients: ownClients({ knex: pagesKnex, brand, denials }),
    close: async () => {
      await housekeeping.stop();
      await failedLogins.close();
    },
  };
}
