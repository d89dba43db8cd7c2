// Which client asks (RFC 6749 2.3): HTTP Basic or the body for confidential clients, the id alone for public ones.

import { hash } from "node:crypto";
import { network } from "../http/network.ts";
import { invalidClient, OAuthError } from "../http/oauth-error.ts";
import type { Caller } from "../http/operations.ts";
import type { ClientStore, OAuthClient } from "./clients.ts";
import type { FailureThrottle } from "./throttle.ts";

type Credentials = Readonly<{ clientId: string; secret: string | null }>;

/** The members of a body that name a client. */
export type ClientMembers = Readonly<{ client_id?: string | undefined; client_secret?: string | undefined }>;

/** The client that sent the request. Throws invalid_client (401), invalid_request, or rate_limited after too many failures. */
export type AuthenticateClient = (caller: Pick<Caller, "authorization" | "address">, body: ClientMembers) => Promise<OAuthClient>;

export type ClientAuthenticationParts = { clients: Pick<ClientStore, "find" | "verifySecret">; throttle: FailureThrottle };

export function clientAuthentication({ clients, throttle }: ClientAuthenticationParts): AuthenticateClient {
  return async ({ authorization, address }, body) => {
    const credentials = readCredentials(authorization, body);
    const client = await clients.find(credentials.clientId);
    // All ids that somebody makes up count as one: a counter for each would let the memory fill.
    const key = hash("sha256", `${client?.id ?? ""} ${network(address)}`, "base64");
    await throttle.check(key);
    if (client && (await isProven(clients, client, credentials))) return client;
    await throttle.count(key);
    throw invalidClient();
  };
}

/** RFC 6749 2.3.1. A request must not use more than one way to authenticate (2.3). */
function readCredentials(authorization: string | undefined, body: ClientMembers): Credentials {
  if (authorization !== undefined) return agreeing(readBasic(authorization), body);
  if (body.client_id === undefined) throw invalidClient();
  return { clientId: body.client_id, secret: body.client_secret ?? null };
}

function agreeing(basic: Credentials, { client_id, client_secret }: ClientMembers): Credentials {
  if (client_secret !== undefined) throw new OAuthError("invalid_request", "Authenticate with HTTP Basic or in the body, not both.");
  if (client_id !== undefined && client_id !== basic.clientId)
    throw new OAuthError("invalid_request", "client_id and the Authorization header name different clients.");
  return basic;
}

/** Id and secret are form-encoded before they are joined; an empty secret is none. */
function readBasic(authorization: string): Credentials {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("utf8")) ?? [];
  const clientId = formDecoded(id);
  if (clientId === "") throw invalidClient();
  return { clientId, secret: formDecoded(secret) || null };
}

/** Throws invalid_client for malformed escapes, and for characters that neither ids nor secrets have (RFC 6749 A.1, A.2). */
function formDecoded(text: string): string {
  const decoded = new URLSearchParams(`=${text.replaceAll("&", "%26")}`).get("") ?? "";
  if (/%(?![0-9A-Fa-f]{2})/.test(text) || !/^[\x20-\x7E]*$/.test(decoded)) throw invalidClient();
  return decoded;
}

async function isProven(clients: ClientAuthenticationParts["clients"], client: OAuthClient, { secret }: Credentials): Promise<boolean> {
  if (client.public) return secret === null;
  return secret !== null && clients.verifySecret(client.id, secret);
}
