// The room as the application uses it: its operations and its pages.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Denials } from "../auth/denials.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";
import type { Config } from "../config.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Handlers, Scope } from "../http/operations.ts";
import type { FailureCounters } from "../http/rate-limits/failure-counters.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";
import type { PageRoutes } from "../ui/serve-pages.ts";
import { streamerPages } from "../ui/streamer-pages.ts";
import { type Accounts, accounts } from "./accounts.ts";
import { authorize } from "./authorize.ts";
import { clientAuthentication } from "./client-authentication.ts";
import { clientDirectory } from "./client-directory.ts";
import { clientStore } from "./clients.ts";
import { fetchDocuments } from "./fetch-document.ts";
import { grantStore } from "./grants.ts";
import { keepHouse } from "./housekeeping.ts";
import { getServerMetadata, getSigningKeys } from "./metadata.ts";
import { makePageParts } from "./page-deps.ts";
import { oauthPages } from "./page-routes.ts";
import { revokeToken } from "./revoke.ts";
import { clientFailures, failureThrottle, noThrottle } from "./throttle.ts";
import { issueToken } from "./token.ts";

export type OAuthFoundations = {
  knex: Knex;
  /** For what strangers may ask for without end. */
  pagesKnex: Knex;
  config: Pick<Config, "brand" | "baseUrl" | "clientDocuments">;
  /** Seals what forms carry. */
  codec: CursorCodec;
  denials: Denials;
  signingKeys: SigningKeys;
  /** All scopes of the contract. */
  scopes: readonly Scope[];
  limits: Pick<Limits, "spend">;
  /** Count failed logins and clients. Null: nobody is limited. */
  failures: FailureCounters | null;
  log: Logger;
};

export type OAuthRoom = {
  operations: Pick<Handlers, "issueToken" | "revokeToken" | "authorize" | "getServerMetadata" | "getSigningKeys">;
  pages: PageRoutes;
  /** For pages of other rooms. */
  accounts: Accounts;
  close: () => void;
};

export function openOAuth({
  knex,
  pagesKnex,
  config,
  codec,
  denials,
  signingKeys,
  scopes,
  limits,
  failures,
  log,
}: OAuthFoundations): OAuthRoom {
  const { brand, baseUrl } = config;
  const store = clientStore(knex);
  const fetchDocument = fetchDocuments(config.clientDocuments);
  const clients = clientDirectory({ store: clientStore(pagesKnex), fetchDocument, scopes, failures });
  const grants = grantStore(knex, denials, brand);
  const throttle = failures ? failureThrottle(failures("failed-client", clientFailures)) : noThrottle;
  const authenticateClient = clientAuthentication({ clients: store, throttle });
  const pages = makePageParts({
    knex: pagesKnex,
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
      issueToken: issueToken({ baseUrl, authenticateClient, grants, signingKeys, limits }),
      revokeToken: revokeToken({ brand, authenticateClient, grants, signingKeys, denials }),
      authorize: authorize(pages),
      getServerMetadata: getServerMetadata({ baseUrl, scopes, clientDocuments: fetchDocument !== null }),
      getSigningKeys: getSigningKeys({ signingKeys }),
    },
    pages: oauthPages(pages),
    accounts: accounts(pages),
    close: keepHouse(knex, log),
  };
}
