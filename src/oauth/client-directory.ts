// Every client that may ask a streamer: those that the operator registered, and those that describe themselves.

import { network } from "../http/network.ts";
import type { Scope } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import type { FailureCounters } from "../http/rate-limits/failure-counters.ts";
import { isDocumentAddress, readAddress, readDocument } from "./client-document.ts";
import type { ClientFacts, ClientStore } from "./clients.ts";
import type { FetchDocument } from "./fetch-document.ts";
import { failureThrottle, noThrottle } from "./throttle.ts";

export type ClientDirectory = Readonly<{
  /**
   * Null: unknown, or removed. Throws validation_failed for a document that can't be used, or rate_limited; `address` is who asks.
   */
  find: (clientId: string, address: string) => Promise<ClientFacts | null>;
  /** Notes a client that describes itself, because a streamer has let it in: tokens are made for noted clients only. */
  admit: (client: ClientFacts) => Promise<void>;
}>;

export type DirectoryParts = Readonly<{
  store: Pick<ClientStore, "find" | "admit" | "isRemoved">;
  /** Null: no client describes itself. */
  fetchDocument: FetchDocument | null;
  scopes: readonly Scope[];
  /** Null: nobody is limited. */
  failures: FailureCounters | null;
}>;

/** Strangers must not make us call others without end: "client-document" of the contract's limits. */
const fetches = { points: 30, duration: 60 };
const tooMany = "Too many applications that we don't know were asked about from this address.";
const keptMs = 300_000;
const maxKept = 1_000;

export function clientDirectory({ store, fetchDocument, scopes, failures }: DirectoryParts): ClientDirectory {
  const kept = new Map<string, { client: Promise<ClientFacts>; until: number }>();
  const throttle = failures ? failureThrottle(failures("client-document", fetches), tooMany) : noThrottle;

  const read = async (clientId: string, asker: string, fetchDocument: FetchDocument): Promise<ClientFacts> => {
    const url = readAddress(clientId);
    return readDocument(url, await fetchDocument(url, asker), scopes);
  };

  const describe = async (clientId: string, address: string, fetchDocument: FetchDocument): Promise<ClientFacts> => {
    const found = kept.get(clientId);
    if (found && found.until > Date.now()) return found.client;
    const asker = network(address);
    await throttle.count(asker);
    const client: Promise<ClientFacts> = read(clientId, asker, fetchDocument).catch((error: Error) => {
      if (kept.get(clientId)?.client === client) kept.delete(clientId); // the next one may have mended it
      if (error instanceof Problem) throw error;
      throw new Problem("validation_failed", `The client's document can't be used: ${error.message}.`, { cause: error });
    });
    kept.delete(clientId);
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string);
    kept.set(clientId, { client, until: Date.now() + keptMs });
    return client;
  };

  return {
    find: async (clientId, address) => {
      if (!isDocumentAddress(clientId)) return store.find(clientId);
      if (!fetchDocument || (await store.isRemoved(clientId))) return null;
      return describe(clientId, address, fetchDocument);
    },
    admit: async (client) => {
      if (isDocumentAddress(client.id)) await store.admit(client);
    },
  };
}
