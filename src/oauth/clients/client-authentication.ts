// Authenticates the client of a request (RFC 6749 2.3): confidential clients by HTTP Basic or in the body, public clients by their id.

import { hash } from "node:crypto";
import { network } from "../../http/addresses.ts";
import type { Caller } from "../../http/operations.ts";
import { invalidClient, OAuthError, rateLimited } from "../../http/problem.ts";
import type { FailureBuckets } from "../../http/rate-limits/rate-limits.ts";
import { type ClientWithSecrets, isSecretOf } from "./clients.ts";

type Credentials = Readonly<{ clientId: string; secret: string | null }>;

/** The members of a body that identify a client. */
export type ClientMembers = Readonly<{ client_id?: string | undefined; client_secret?: string | undefined }>;

/**
 * The client that sent the request, as `find` found it by its id. Throws invalid_client (401), invalid_request, or rate_limited after too
 * many failures.
 */
export type AuthenticateClient = <Found extends ClientWithSecrets>(
  caller: Pick<Caller, "authorization" | "address">,
  body: ClientMembers,
  find: (clientId: string) => Promise<Found | null>,
) => Promise<Found>;

/** Limits failed attempts per key: after too many, further attempts are refused for a while without being checked. */
export type FailureThrottle = Readonly<{
  /** Throws rate_limited when this key has reached its limit. */
  check: (key: string) => Promise<void>;
  /** Counts a failure. Throws rate_limited when concurrent attempts have reached the limit in the meantime. */
  count: (key: string) => Promise<void>;
}>;

export function clientAuthentication(throttle: FailureThrottle): AuthenticateClient {
  return async ({ authorization, address }, body, find) => {
    const credentials = readCredentials(authorization, body);
    const found = await find(credentials.clientId);
    // All unknown ids from one network share a counter, because a counter for each made-up id would fill the memory.
    const key = hash("sha256", `${found?.client.id ?? ""} ${network(address)}`, "base64");
    await throttle.check(key);
    if (found && isAuthentic(found, credentials)) return found;
    await throttle.count(key);
    throw invalidClient();
  };
}

/**
 * RFC 6749 2.3.1. A request must not use more than one way to authenticate (2.3). Another scheme authenticates no client: many programs send
 * the token that they want to refresh with each request.
 */
function readCredentials(authorization: string | undefined, body: ClientMembers): Credentials {
  if (authorization !== undefined && /^basic\b/i.test(authorization)) return requireAgreement(readBasic(authorization), body);
  if (body.client_id === undefined) throw invalidClient();
  return { clientId: body.client_id, secret: body.client_secret ?? null };
}

function requireAgreement(basic: Credentials, { client_id, client_secret }: ClientMembers): Credentials {
  if (client_secret !== undefined) throw new OAuthError("invalid_request", "Authenticate with HTTP Basic or in the body, not both.");
  if (client_id !== undefined && client_id !== basic.clientId)
    throw new OAuthError("invalid_request", "client_id and the Authorization header name different clients.");
  return basic;
}

/** RFC 6749 2.3.1: id and secret are form-encoded before they are joined. An empty secret counts as none. */
function readBasic(authorization: string): Credentials {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization) ?? [];
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("utf8")) ?? [];
  const clientId = decodeFormText(id);
  if (clientId === "") throw invalidClient();
  return { clientId, secret: decodeFormText(secret) || null };
}

/** Throws invalid_client for malformed escapes, and for characters that are allowed in neither ids nor secrets (RFC 6749 A.1, A.2). */
function decodeFormText(text: string): string {
  const decoded = new URLSearchParams(`=${text.replaceAll("&", "%26")}`).get("") ?? "";
  if (/%(?![0-9A-Fa-f]{2})/.test(text) || !/^[\x20-\x7E]*$/.test(decoded)) throw invalidClient();
  return decoded;
}

function isAuthentic(found: ClientWithSecrets, { secret }: Credentials): boolean {
  if (found.client.public) return secret === null;
  return secret !== null && isSecretOf(found, secret);
}

/**
 * Counts failures in a bucket of the contract's limit of this name for each key; none while rate limits are off (null). `detail` is the text of
 * the problem when the limit is reached.
 */
export function failureThrottle(failures: FailureBuckets | null, name: string, detail: string): FailureThrottle {
  if (!failures) return noThrottle;
  const { buckets } = failures;
  const limit = failures.ofContract(name);
  return {
    check: async (key) => {
      const { remaining, nextIn } = await buckets.peek(limit, key);
      if (remaining === 0) throw rateLimited(detail, nextIn);
    },
    count: async (key) => {
      const { allowed, wait } = await buckets.take(limit, key);
      if (!allowed) throw rateLimited(detail, wait);
    },
  };
}

export const noThrottle: FailureThrottle = { check: async () => {}, count: async () => {} };
