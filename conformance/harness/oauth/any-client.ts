import type { TestContext } from "vitest";

import { type Reply, sendUnchecked } from "../client/http-client.ts";
import { tried } from "../client/score.ts";
import { uncounted } from "../client/traffic.ts";
import { target } from "../server/target.ts";
import { newGrant } from "./oauth-client.ts";

// The part of OAuth that interface 4.2, 4.3 and 5 fix for any server: two paths, a client named in a JSON body, a JWT as access token.

export type AnyClient = { client_id: string; client_secret: string };

/** The client of this run; skips the test with a reason where there is none. */
export function anyClient(context: TestContext): AnyClient {
  const { client } = target();
  if (!client?.secret) return context.skip("not run: OAUTH_CLIENT_ID and OAUTH_CLIENT_SECRET are not set");
  return { client_id: client.id, client_secret: client.secret };
}

/** An access token that may create donations; for a server that is not ours, from the environment `variable`. */
export async function accessToken(context: TestContext, variable: "OAUTH_ACCESS_TOKEN" | "OAUTH_REVOCABLE_TOKEN"): Promise<string> {
  const { oauth } = target();
  if (oauth) return (await uncounted(() => newGrant(oauth.clients.confidential))).access_token;
  return process.env[variable] || context.skip(`not run: ${variable} is not set`);
}

/** POST of this JSON text to an OAuth endpoint, without a credential in the header (interface 5.4). */
export function postAny(path: string, body: string): Promise<Reply> {
  tried("OAuth request");
  return sendUnchecked({ method: "POST", path, key: null, headers: { "Content-Type": "application/json" }, body });
}

const notAboutTheRequest = [404, 405, 408, 429];

/** Whether the request or its sender was refused: any 4xx except those about something else. */
export const isTurnedDown = ({ status }: Reply): boolean => status >= 400 && status <= 499 && !notAboutTheRequest.includes(status);
