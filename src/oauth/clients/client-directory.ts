// Finds every client that may ask a streamer for access: clients that were registered here, and clients described by a document at the https
// address that is their client_id (draft-ietf-oauth-client-id-metadata-document-02), which nobody registered.

import { network } from "../../http/addresses.ts";
import { isObject } from "../../http/body/json.ts";
import { allScopes } from "../../http/contract/published.ts";
import { Problem } from "../../http/problem.ts";
import type { FailureBuckets } from "../../http/rate-limits/rate-limits.ts";
import { failureThrottle } from "./client-authentication.ts";
import { readableName } from "./client-names.ts";
import type { ClientFacts, ClientStore } from "./clients.ts";
import type { FetchDocument } from "./fetch-document.ts";
import { requireRedirectUri } from "./redirect-uris.ts";
import { readScopes } from "./requested-scopes.ts";

export type ClientDirectory = Readonly<{
  /**
   * Null when the client is unknown or removed. Throws validation_failed for a document that can't be used, and rate_limited. `address`
   * is the caller's IP address.
   */
  find: (clientId: string, address: string) => Promise<ClientFacts | null>;
  /** Called when a streamer approves a client. Stores one that is described by a document, and keeps one that registered itself. */
  register: (client: ClientFacts) => Promise<void>;
}>;

type ClientDirectoryDeps = Readonly<{
  store: Pick<ClientStore, "find" | "upsert" | "keep" | "isRemoved">;
  /** Null when client documents are off. */
  fetchDocument: FetchDocument | null;
  /** Null when rate limits are off. */
  failures: FailureBuckets | null;
}>;

type Document = Readonly<Record<string, unknown>>;

const tooManyFetches = "Too many requests for unknown applications came from this address.";
const cacheTtlMs = 300_000;
const maxCached = 1_000;

const maxAddressLength = 500;
const maxNameLength = 100;
const maxRedirectUris = 20;

export function clientDirectory({ store, fetchDocument, failures }: ClientDirectoryDeps): ClientDirectory {
  const cache = new Map<string, { client: Promise<ClientFacts>; until: number }>();
  /** Limits how often one network can make this server fetch documents. */
  const throttle = failureThrottle(failures, "client-document", tooManyFetches);

  const read = async (clientId: string, requester: string, fetchDocument: FetchDocument): Promise<ClientFacts> => {
    const url = readAddress(clientId);
    return readDocument(url, await fetchDocument(url, requester));
  };

  const describe = async (clientId: string, address: string, fetchDocument: FetchDocument): Promise<ClientFacts> => {
    const cached = cache.get(clientId);
    if (cached && cached.until > Date.now()) return cached.client;
    const requester = network(address);
    await throttle.count(requester);
    const client: Promise<ClientFacts> = read(clientId, requester, fetchDocument).catch((error: Error) => {
      if (cache.get(clientId)?.client === client) cache.delete(clientId); // the next request fetches it again
      if (error instanceof Problem) throw error;
      throw new Problem("validation_failed", `The client's document can't be used: ${error.message}.`, { cause: error });
    });
    cache.delete(clientId);
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string);
    cache.set(clientId, { client, until: Date.now() + cacheTtlMs });
    return client;
  };

  return {
    find: async (clientId, address) => {
      if (!isDocumentAddress(clientId)) return store.find(clientId);
      if (!fetchDocument || (await store.isRemoved(clientId))) return null;
      return describe(clientId, address, fetchDocument);
    },
    register: async (client) => {
      if (isDocumentAddress(client.id)) await store.upsert(client);
      if (client.selfRegistered) await store.keep(client.id);
    },
  };
}

/** Whether a client_id is the address of a document, valid or not. Ids that this server creates have no colon. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https:\/\//i.test(clientId);
}

/** Throws an Error that says what is wrong with the address (section 3 of the draft). */
export function readAddress(clientId: string): URL {
  const url = URL.parse(clientId);
  if (!url || url.href !== clientId || clientId.length > maxAddressLength)
    throw new Error(`its address must be a normalized https URL of at most ${maxAddressLength} characters`);
  if (url.protocol !== "https:" || url.username || url.password || url.pathname === "/" || clientId.includes("#"))
    throw new Error("its address must be an https URL with a path, and without user name, password or fragment");
  return url;
}

/** The client that the document describes. Throws an Error that names the broken rule (section 4 of the draft). */
export function readDocument(address: URL, text: string): ClientFacts {
  const document = parse(text);
  if (document.client_id !== address.href) throw new Error("client_id must be the document's own address");
  if ("client_secret" in document) throw new Error("it must not hold a secret");
  if ((document.token_endpoint_auth_method ?? "none") !== "none") throw new Error("token_endpoint_auth_method must be none");
  requireValue(document, "grant_types", "authorization_code");
  requireValue(document, "response_types", "code");
  return {
    id: address.href,
    // The host comes first, because it was verified and the name was not.
    name: `${address.host} · ${readName(document)}`,
    public: true,
    redirectUris: readRedirectUris(document),
    scopes: readScopes(typeof document.scope === "string" ? document.scope : undefined, allScopes, (rule) => new Error(rule)),
    registeredBy: null,
    selfRegistered: false,
  };
}

function parse(text: string): Document {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new Error("it is not JSON", { cause });
  }
  throw new Error("it is not a JSON object");
}

/** A member that is left out means what this server does in any case. */
function requireValue(document: Document, member: string, value: string): void {
  const values = document[member];
  if (values !== undefined && !(Array.isArray(values) && values.includes(value))) throw new Error(`${member} must include ${value}`);
}

function readName({ client_name: name }: Document): string {
  const shown = typeof name === "string" ? readableName(name) : null;
  if (shown === null) throw new Error("client_name is missing");
  return [...shown].slice(0, maxNameLength).join("");
}

function readRedirectUris({ redirect_uris: uris }: Document): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > maxRedirectUris)
    throw new Error(`redirect_uris must be a list of 1 to ${maxRedirectUris}`);
  for (const uri of uris) {
    if (typeof uri !== "string") throw new Error("redirect_uris must be strings");
    requireRedirectUri(uri, { public: true });
  }
  return uris;
}
