// Opens everything that decides whether a credential is good, and keeps it up to date with what other processes revoke.

import type { ProcessDeps } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { makeSealer } from "../db/secrets.ts";
import { apiKeyStore } from "./api-keys.ts";
import { makeAuthenticators } from "./authenticate.ts";
import { trackLastUse } from "./keys.ts";
import { overlayKeyStore } from "./overlay-keys.ts";
import { type CredentialChanges, loadDenials, watchCredentialChanges } from "./revocations.ts";
import { loadSigningKeys } from "./signing-keys.ts";

const apiKeyPrecisionMs = 60_000;
/** Coarser, because every open page of every streamer uses its key all the time. */
const overlayPrecisionMs = 300_000;

export type Credentials = Awaited<ReturnType<typeof openCredentials>>;

export async function openCredentials({ config, database, log }: ProcessDeps) {
  // A pool of its own, so that revocations are read even while readers keep the general one busy. Clients revoke their tokens on the general
  // one: however many these are, keys and revocations are still read.
  const knex = database.pool(pools.credentials);
  const apiKeys = apiKeyStore(knex, config.brand);
  const overlayKeys = overlayKeyStore(knex, config.brand);
  const lastUse = {
    api_key: trackLastUse(apiKeys, apiKeyPrecisionMs, log),
    overlay_key: trackLastUse(overlayKeys, overlayPrecisionMs, log),
  };
  const denials = await loadDenials(knex, database.knex);
  const signingKeys = await loadSigningKeys(knex, makeSealer(config.secretKey));
  const { authenticatorFor, overlayAuthenticator, invalidateCache } = makeAuthenticators({
    brand: config.brand,
    baseUrl: config.baseUrl,
    apiKeys,
    overlayKeys,
    signingKeys,
    denials,
    changes: () => changes,
    recordUse: ({ kind, id }) => void (kind !== "access_token" && lastUse[kind].record(id)),
  });
  const listeners: (() => Promise<void>)[] = [];
  const changes: CredentialChanges = await watchCredentialChanges(knex, log, async () => {
    await Promise.all([denials.reload(), signingKeys.reload()]);
    invalidateCache();
    for (const listener of listeners) await listener();
  });
  /** Registers a listener that is called after a credential was revoked anywhere, once this process refuses it. */
  const onChange = (listener: () => Promise<void>) => void listeners.push(listener);
  const stop = async () => {
    changes.stop();
    await Promise.all(Object.values(lastUse).map(({ stop }) => stop()));
  };
  /** Resolves when this process refuses every credential that was revoked before the call. */
  const catchUp = () => changes.catchUp();
  const recordOverlayUse = lastUse.overlay_key.record;
  return { authenticatorFor, overlayAuthenticator, onChange, catchUp, denials, signingKeys, apiKeys, overlayKeys, recordOverlayUse, stop };
}
