// What the rest of the server needs of this room, opened and kept up to date.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { makeSealer } from "../db/secrets.ts";
import { apiKeyStore } from "./api-keys.ts";
import { makeAuthenticators } from "./authenticate.ts";
import { loadDenials } from "./denials.ts";
import { trackLastUse } from "./last-use.ts";
import { overlayKeyStore } from "./overlay-keys.ts";
import { type CredentialChanges, watchCredentialChanges } from "./revocation-feed.ts";
import { loadSigningKeys } from "./signing-keys.ts";

export type CredentialParts = {
  config: Config;
  /** A pool of its own: revocations must be seen however busy readers keep the general one. */
  knex: Knex;
  log: Logger;
};

export type Credentials = Awaited<ReturnType<typeof openCredentials>>;

/** Everything that knows whether a credential is good, kept up to date with what other processes revoke. */
export async function openCredentials({ config, knex, log }: CredentialParts) {
  const apiKeys = apiKeyStore(knex, config.brand);
  const overlayKeys = overlayKeyStore(knex, config.brand);
  const lastUse = trackLastUse(apiKeys, log);
  const denials = await loadDenials(knex);
  const signingKeys = await loadSigningKeys(knex, makeSealer(config.secretKey));
  const { authenticatorFor, overlayAuthenticator, forget } = makeAuthenticators({
    ...config,
    apiKeys,
    overlayKeys,
    signingKeys,
    denials,
    changes: () => changes,
    noteUse: lastUse.note,
  });
  const listeners: (() => Promise<void>)[] = [];
  const changes: CredentialChanges = await watchCredentialChanges(knex, log, async () => {
    await Promise.all([denials.reload(), signingKeys.reload()]);
    forget();
    for (const listener of listeners) await listener();
  });
  /** Called after something was revoked anywhere, once this process refuses it. */
  const onChange = (listener: () => Promise<void>) => void listeners.push(listener);
  const stop = async () => {
    changes.stop();
    await lastUse.stop();
  };
  /** Resolves when whatever was revoked before is refused here. */
  const catchUp = () => changes.look();
  return { authenticatorFor, overlayAuthenticator, onChange, catchUp, forget, denials, signingKeys, apiKeys, overlayKeys, stop };
}
