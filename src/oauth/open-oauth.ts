// Opens the authorization server: its operations, among them its metadata (RFC 8414) and the public keys of its tokens (RFC 7517), its pages
// and its hourly clean-up.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Denials } from "../auth/revocations.ts";
import type { SigningKeys } from "../auth/signing-keys.ts";
import type { Config } from "../config.ts";
import type { BatchedReads } from "../db/batched-reads.ts";
import { allScopes } from "../http/contract/published.ts";
import type { CursorCodec } from "../http/cursor.ts";
import type { Handler } from "../http/operations.ts";
import type { FailureBuckets, Limits } from "../http/rate-limits/rate-limits.ts";
import { type IntervalTask, startIntervalTask } from "../telemetry/interval-task.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { PageRoutes } from "../ui/serve-pages.ts";
import { makeAccounts } from "./accounts/accounts.ts";
import { loginThrottle, unlimitedLogins, unlockFinder } from "./accounts/check-password.ts";
import { openFailedLogins } from "./accounts/failed-logins.ts";
import { login, showLogin } from "./accounts/login.ts";
import { selfService } from "./accounts/self-service.ts";
import { authorize, consent } from "./authorize.ts";
import { clientAuthentication, failureThrottle } from "./clients/client-authentication.ts";
import { clientDirectory } from "./clients/client-directory.ts";
import { clientStore } from "./clients/clients.ts";
import { fetchDocuments } from "./clients/fetch-document.ts";
import { ownClients } from "./clients/own-clients.ts";
import { registerClient } from "./clients/register-client.ts";
import { disconnect, logout, showConnections } from "./connections.ts";
import { makePageDeps, type PageDeps } from "./forms.ts";
import { codeStore } from "./tokens/authorization-code.ts";
import { challengeMethod, grantStore } from "./tokens/grants.ts";
import { refreshTokenStore } from "./tokens/refresh-token.ts";
import { revokeToken } from "./tokens/revoke.ts";
import { grantTypes, issueToken } from "./tokens/token.ts";

type OAuthDeps = {
  knex: Knex;
  reads: BatchedReads;
  /** A pool of one connection, for rotations of refresh tokens. */
  rotationsKnex: Knex;
  /** A separate pool for pages, which anybody can request any number of times. */
  pagesKnex: Knex;
  config: Config;
  /** Seals form tokens and cookies. */
  codec: CursorCodec;
  denials: Denials;
  signingKeys: SigningKeys;
  limits: Limits;
  /** Count failed logins and client authentications. Null when rate limits are off. */
  failures: FailureBuckets | null;
  log: Logger;
  metrics: Pick<Metrics, "clientRegistered">;
};

const tooManyFailures = "Too many failed authentications of this client.";
const tooManyClients = "Too many applications were registered from this network.";

export type OAuthService = ReturnType<typeof openOAuth>;

export function openOAuth({ knex, reads, rotationsKnex, pagesKnex, codec, failures, log, ...deps }: OAuthDeps) {
  const { config, denials, signingKeys, limits, metrics } = deps;
  const { brand, baseUrl } = config;
  const fetchDocument = fetchDocuments(config.clientDocuments);
  const clients = clientDirectory({ store: clientStore(pagesKnex), fetchDocument, failures });
  const grants = grantStore(knex, denials);
  const codes = codeStore(knex);
  const refreshTokens = refreshTokenStore({ knex, reads, rotations: rotationsKnex }, grants);
  const authenticateClient = clientAuthentication(failureThrottle(failures, "failed-client", tooManyFailures));
  const failedLogins = openFailedLogins(pagesKnex, log);
  const housekeeping = startHousekeeping(knex, log);
  // Without rate limits passwords can be guessed without limit.
  const throttle = failedLogins.counting(failures ? loginThrottle(failures.buckets, unlockFinder(pagesKnex)) : unlimitedLogins);
  const pages = makePageDeps({ knex: pagesKnex, config, codec, clients, limits, throttle, grants: grantStore(pagesKnex, denials) });
  const tokens = {
    brand,
    baseUrl,
    authenticateClient,
    clients: clientStore(knex, reads),
    codes,
    refreshTokens,
    grants,
    signingKeys,
    denials,
    limits,
  };
  return {
    operations: {
      issueToken: issueToken(tokens),
      revokeToken: revokeToken(tokens),
      authorize: authorize(pages),
      registerClient: registerClient({
        isOn: config.clientRegistration,
        clients: clientStore(pagesKnex),
        throttle: failureThrottle(failures, "client-registration", tooManyClients),
        onRegistered: metrics.clientRegistered,
      }),
      getServerMetadata: getServerMetadata(config, fetchDocument !== null),
      getSigningKeys: getSigningKeys(signingKeys),
    },
    pages: oauthPages(pages),
    /** For pages of other folders. */
    accounts: makeAccounts(pages),
    selfService: selfService(pages),
    ownClients: ownClients({ knex: pagesKnex, brand, denials }),
    /** Writes what is still to be recorded. */
    close: async () => {
      await housekeeping.stop();
      await failedLogins.close();
    },
  };
}

export function oauthPages(deps: PageDeps): PageRoutes {
  return {
    "GET /oauth/login": showLogin(deps),
    "POST /oauth/login": login(deps),
    "POST /oauth/logout": logout(deps),
    "POST /oauth/consent": consent(deps),
    "GET /oauth/connections": showConnections(deps),
    "POST /oauth/connections/disconnect": disconnect(deps),
  };
}

const intervalMs = 3_600_000;

// A used code or token stays until its grant expires, because using it again must revoke the grant.
const statements = [
  "delete from sessions where expires_at < now()",
  "delete from denials where expires_at < now()",
  "delete from signing_keys where retired_at < now() - interval '1 day'",
  `with unused as (delete from oauth_clients where expires_at < now() returning application_id)
   delete from applications a using unused where a.id = unused.application_id`,
  "delete from oauth_refresh_tokens t using oauth_grants g where g.id = t.grant_id and g.expires_at < now()",
  "delete from oauth_codes c using oauth_grants g where g.id = c.grant_id and g.expires_at < now()",
  "delete from oauth_grants where expires_at < now() and not exists (select from oauth_codes c where c.grant_id = oauth_grants.id)",
];

/** Starts the hourly clean-up, which several processes may run at the same time. */
function startHousekeeping(knex: Knex, log: Logger): IntervalTask {
  const failureMessage = "expired sessions, codes and tokens could not be deleted";
  return startIntervalTask({ pauseMs: intervalMs, log, failureMessage }, () => deleteExpired(knex));
}

/** Deletes what has expired. */
export async function deleteExpired(knex: Knex): Promise<void> {
  for (const statement of statements) await knex.raw(statement);
}

const headers = { "Cache-Control": "public, max-age=300" } as const;
const authenticationMethods = ["client_secret_basic", "client_secret_post", "none"];

/** `takesDocuments`: a client_id may be the address of a client document. */
const getServerMetadata =
  ({ baseUrl, clientRegistration }: Config, takesDocuments: boolean): Handler<"getServerMetadata"> =>
  async () => ({
    status: 200,
    headers,
    body: {
      issuer: baseUrl,
      authorization_endpoint: `${baseUrl}/oauth/authorize`,
      token_endpoint: `${baseUrl}/oauth/token`,
      revocation_endpoint: `${baseUrl}/oauth/revoke`,
      ...(clientRegistration && { registration_endpoint: `${baseUrl}/oauth/register` }),
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      scopes_supported: [...allScopes],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: [...grantTypes],
      token_endpoint_auth_methods_supported: authenticationMethods,
      revocation_endpoint_auth_methods_supported: authenticationMethods,
      code_challenge_methods_supported: [challengeMethod],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: takesDocuments,
      service_documentation: `${baseUrl}/docs`,
    },
  });

const getSigningKeys =
  (signingKeys: SigningKeys): Handler<"getSigningKeys"> =>
  async () => ({ status: 200, headers, body: { keys: [...signingKeys.publicKeys()] } });
