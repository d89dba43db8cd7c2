// Fetches a document whose address a stranger chose. Only a GET over TLS to a public address goes out, whatever the name resolves
// to at that moment; no redirect is followed; what comes back is small and in time.

import { Resolver } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { ClientDocuments } from "../config.ts";
import { fetchQueue } from "./fetch-queue.ts";
import { isPublicAddress } from "./public-address.ts";

/** Addresses of a host. */
export type Resolve = (host: string) => Promise<string[]>;

/**
 * The body; `asker` is the network of whoever wants it. Throws an Error that says, for whoever wrote the document, why there is none, or
 * a Problem (rate_limited) when too many documents are asked for.
 */
export type FetchDocument = (url: URL, asker: string) => Promise<string>;

const maxBytes = 10_240;
/** From the moment that it has a connection: what waits before is the queue's business. */
const patienceMs = 5_000;
const limits = { atOnce: 16, perHost: 12, waiting: 64, patienceMs: 15_000 };
const agent = new Agent({ keepAlive: false });

/** How this server's operator lets clients describe themselves. Null: not at all. */
export function fetchDocuments(mode: ClientDocuments): FetchDocument | null {
  if (mode === "off") return null;
  const queue = fetchQueue(limits);
  const fetch = mode === "local" ? (url: URL) => fetchFrom(url, resolveLocal) : fetchPublic;
  return (url, asker) => queue.run({ host: url.host, asker }, () => fetch(url));
}

/** Another port than that of https could be anything. */
async function fetchPublic(url: URL): Promise<string> {
  if (url.port !== "") throw new Error("its address must not name a port");
  return fetchFrom(url, publicOnly(resolve));
}

/** Fetches from wherever `resolve` leads. */
export async function fetchFrom(url: URL, resolve: Resolve): Promise<string> {
  if (isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0) throw new Error("its address must name a host, not an IP address");
  const signal = AbortSignal.timeout(patienceMs);
  try {
    return await readText(await open(url, lookup(resolve), signal));
  } catch (error) {
    if (error instanceof UnfitAnswer) throw error;
    throw new Error(signal.aborted ? "it did not arrive in time" : "it could not be fetched", { cause: error });
  }
}

/** Not the system's resolver: its answers would wait in the few threads that passwords are checked in. */
const resolve: Resolve = async (host) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
};

/** The same, for hosts on the open internet alone. */
export function publicOnly(resolve: Resolve): Resolve {
  return async (host) => {
    const addresses = await resolve(host);
    if (!addresses.every(isPublicAddress)) throw new Error(`${host} is not on the open internet`);
    return addresses;
  };
}

/** For tests: this machine, by its name. */
const resolveLocal: Resolve = async (host) => {
  if (host !== "localhost") throw new Error(`${host} is not this machine`);
  return ["127.0.0.1"];
};

/** What the connection is made to is what was looked at. */
function lookup(resolve: Resolve): LookupFunction {
  return (host, { all }, callback) => {
    const answer = (addresses: string[]) => {
      const [first = ""] = addresses;
      if (first === "") return callback(new Error(`${host} has no address`), "");
      if (!all) return callback(null, first, isIP(first));
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    };
    resolve(host).then(answer, (error) => callback(error, ""));
  };
}

class UnfitAnswer extends Error {}

function open(url: URL, lookup: LookupFunction, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: "application/json" };
    const outgoing = request(url, { agent, lookup, signal, headers, maxHeaderSize: 8_192 });
    outgoing.once("response", resolve).on("error", reject).end();
  });
}

async function readText(answer: IncomingMessage): Promise<string> {
  try {
    const type = answer.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
    if (answer.statusCode !== 200) throw new UnfitAnswer(`it was answered with ${answer.statusCode}, not 200`);
    if (!/^application\/([\w.-]+\+)?json$/.test(type)) throw new UnfitAnswer("its media type is not application/json");
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new UnfitAnswer(`it is larger than ${maxBytes / 1024} KiB`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    answer.destroy();
  }
}
