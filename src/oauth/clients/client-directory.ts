// Finds every client that may ask a streamer for access: clients that the operator registered, and clients described by a document at
// the address that is their client_id.

import { network } from "../../http/network.ts";
import type { Scope } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import type { ConfiguredCounters } from "../../http/rate-limits/failure-counters.ts";
import { failureThrottle, noThrottle } from "../throttle.ts";
import { isDocumentAddress, readAddress, readDocument } from "./client-document.ts";
import type { ClientFacts, ClientStore } from "./clients.ts";
import type { FetchDocument } from "./fetch-document.ts";

export type ClientDirectory = Readonly<{
  /**
   * Null when the client is unknown or removed. Throws validation_failed for a document that can't be used, and rate_limited. `address`
   * is the caller's IP address.
   */
  find: (clientId: string, address: string) => Promise<ClientFacts | null>;
  /** Stores a client that is described by a document, after a streamer approved it: only stored clients get tokens. */
  register: (client: ClientFacts) => Promise<void>;
}>;

export type ClientDirectoryDeps = Readonly<{
  store: Pick<ClientStore, "find" | "upsert" | "isRemoved">;
  /** Null when client documents are off. */
  fetchDocument: FetchDocument | null;
  scopes: readonly Scope[];
  /** Null when rate limits are off. */
  failures: Pick<ConfiguredCounters, "ofContract"> | null;
}>;

const tooManyFetches = "Too many requests for unknown applications came from this address.";
const cacheTtlMs = 300_000;
const maxCached = 1_000;

export function clientDirectory({ store, fetchDocument, scopes, failures }: ClientDirectoryDeps): ClientDirectory {
  const cache = new Map<string, { client: Promise<ClientFacts>; until: number }>();
  /** Limits how often one network can make this server fetch documents. */
  const throttle = failures ? failureThrottle(failures.ofContract("client-document"), tooManyFetches) : noThrottle;

  const read = async (clientId: string, requester: string, fetchDocument: FetchDocument): Promise<ClientFacts> => {
    const url = readAddress(clientId);
    return readDocument(url, await fetchDocument(url, requester), scopes);
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
    },
  };
}
