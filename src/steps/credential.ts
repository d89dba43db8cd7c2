// Who asks: the credential verified each time, and found among those that were verified before.

import type { Logger } from "pino";
import { uuidv7 } from "uuidv7";
import { signAccessToken } from "../auth/access-token.ts";
import { openCredentials } from "../auth/credentials.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { pools } from "../db/pools.ts";
import { oftenInTurn, type Step } from "./compare.ts";

type CredentialParts = { config: Config; database: Database; log: Logger; streamerId: string };

export async function credentialSteps({ config, database, log, streamerId }: CredentialParts) {
  const credentials = await openCredentials({ config, knex: database.pool(pools.credentials), log });
  const { authenticatorFor, forget, apiKeys, signingKeys, stop } = credentials;
  const authenticator = authenticatorFor(config.baseUrl);
  const verifying = (name: string, how: string, token: string): Step => {
    const header = `Bearer ${token}`;
    const verify = async () => authenticator.recall(header) ?? authenticator.verify(header);
    const anew = () => {
      forget();
      return verify();
    };
    return { name, before: { how, repeat: oftenInTurn(anew) }, now: { how: "from the cache", repeat: oftenInTurn(verify) } };
  };
  const key = await apiKeys.create({ streamerId, application: "steps", name: "steps", scopes: ["write:donations"] });
  const token = await signAccessToken(signingKeys, {
    iss: config.baseUrl,
    aud: config.baseUrl,
    sub: streamerId,
    client_id: uuidv7(),
    application_id: uuidv7(),
    grant_id: uuidv7(),
    scope: "write:donations",
    jti: uuidv7(),
  });
  const steps = [verifying("an access token", "its signature checked", token), verifying("an API key", "read from the database", key)];
  return { steps, close: stop };
}
