// Fetches a document from an address that an untrusted party chose (server-side request forgery): only a GET over TLS to a public IP
// address, whatever the host name resolves to at that moment; redirects are not followed; size and time are limited.

import type { ClientDocuments } from "../../config.ts";
import { literalAddress, publicOnly, type Resolve, resolveHost } from "../../http/addresses.ts";
import { type HostAnswer, tooLong } from "../../http/hosts/host-answer.ts";
import { openHost } from "../../http/hosts/hosts.ts";
import { type Problem, rateLimited } from "../../http/problem.ts";

/**
 * Resolves to the body. `requester` is the network that the request came from. Throws an Error whose message tells the author of the
 * document what is wrong, or a Problem (rate_limited) when too many documents are requested.
 */
export type FetchDocument = (url: URL, requester: string) => Promise<string>;

type Source = Readonly<{ resolve: Resolve; requester: string; trusted?: readonly string[] }>;

/** The host of a document, and the network that requested it. */
export type Origin = Readonly<{ host: string; requester: string }>;

type QueueLimits = Readonly<{
  /** Documents that are fetched at the same time, and how many of them from one host. */
  maxConcurrent: number;
  maxPerHost: number;
  /** How many fetches may wait, and for how long. */
  maxWaiting: number;
  waitTimeoutMs: number;
}>;

/** `rank`: how many fetches of the same host or requester were pending when this one came. */
type Waiting = { origin: Origin; rank: number; start: () => void; reject: (problem: Problem) => void };

const maxBytes = 10_240;
const answerBytes = { headers: 8_192, kept: maxBytes, drained: maxBytes, received: 4 * maxBytes };
/** From the start of the request. The wait in the queue before it has a time-out of its own. */
const timeouts = { connectMs: 5_000, wholeMs: 5_000 };
const limits = { maxConcurrent: 16, maxPerHost: 12, maxWaiting: 64, waitTimeoutMs: 15_000 };

/** How documents are fetched in the operator's mode (CLIENT_DOCUMENTS); null when client documents are off. */
export function fetchDocuments(mode: ClientDocuments): FetchDocument | null {
  if (mode === "off") return null;
  const queue = fetchQueue(limits);
  const fetch = mode === "local" ? fetchLocal : fetchPublic;
  return (url, requester) => queue.run({ host: url.host, requester }, () => fetch(url, requester));
}

/** Another port than 443 could belong to a service that is not a web server. */
async function fetchPublic(url: URL, requester: string): Promise<string> {
  if (url.port !== "") throw new Error("its address must not name a port");
  return fetchFrom(url, { resolve: publicOnly(resolveHost), requester });
}

/** For tests: from localhost only. */
function fetchLocal(url: URL, requester: string): Promise<string> {
  return fetchFrom(url, { resolve: resolveLocal, requester });
}

/** Fetches from an address that `resolve` returns. `trusted`: the authorities that a test trusts. */
export async function fetchFrom(url: URL, { resolve, requester, trusted }: Source): Promise<string> {
  if (literalAddress(url) !== null) throw new Error("its address must name a host, not an IP address");
  const host = openHost({ url: url.href, owner: requester, timeouts, bytes: answerBytes, ...(trusted && { trusted }) }, resolve);
  const request = { method: "GET", headers: { Accept: "application/json" } } as const;
  const sent = host.send(request).finally(host.close);
  return textOf(await sent.catch((error: Error) => fail(error.message, error)));
}

const resolveLocal: Resolve = async (host) => {
  if (host !== "localhost") throw new Error(`${host} is not localhost`);
  return ["127.0.0.1"];
};

function textOf({ status, contentType = "", text, cutOff }: HostAnswer): string {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (status !== 200) throw new Error(`the response status was ${status}, not 200`);
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) throw new Error("its media type is not application/json");
  return cutOff === null ? text : fail(cutOff);
}

/** `reason`: message of what failed. */
function fail(reason: string, cause?: Error): never {
  if (reason === tooLong) throw new Error(`it is larger than ${maxBytes / 1024} KiB`);
  throw new Error(/^No (connection|answer) within/.test(reason) ? "it did not arrive in time" : "it could not be fetched", { cause });
}

/**
 * A fair queue of fetches. Anybody can request any number of documents and let their host answer slowly, so one host gets only part of the
 * connections, and a requester with few pending fetches goes before one with many.
 */
export function fetchQueue({ maxConcurrent, maxPerHost, maxWaiting, waitTimeoutMs }: QueueLimits) {
  const running: Origin[] = [];
  let waiting: Waiting[] = [];

  const remove = (one: Waiting) => {
    waiting = waiting.filter((other) => other !== one);
  };

  /** Starts waiting fetches while there is room, the lowest rank first. The sort is stable, so the oldest of one rank goes first. */
  const startNext = () => {
    for (const one of waiting.toSorted(byRank)) {
      if (running.length >= maxConcurrent) return;
      if (running.filter(({ host }) => host === one.origin.host).length >= maxPerHost) continue;
      remove(one);
      running.push(one.origin);
      one.start();
    }
  };

  const waitForTurn = (origin: Origin) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => one.reject(tooManyFetches()), waitTimeoutMs);
      const settled = (then: () => void) => {
        clearTimeout(timer);
        then();
      };
      const rejectThis = (problem: Problem) => {
        remove(one);
        settled(() => reject(problem));
      };
      const others = [...running, ...waiting.map((other) => other.origin)].filter((other) => isRelated(other, origin));
      const one: Waiting = { origin, rank: others.length, start: () => settled(resolve), reject: rejectThis };
      waiting.push(one);
      startNext();
      if (waiting.length > maxWaiting) waiting.toSorted(byRank).at(-1)?.reject(tooManyFetches());
    });

  return {
    /** Runs the task when it is its turn. Throws rate_limited when the wait takes too long, or when too many tasks wait. */
    run: async <Result>(origin: Origin, task: () => Promise<Result>): Promise<Result> => {
      await waitForTurn(origin);
      try {
        return await task();
      } finally {
        running.splice(running.indexOf(origin), 1);
        startNext();
      }
    },
  };
}

function byRank(a: Waiting, b: Waiting): number {
  return a.rank - b.rank;
}

function isRelated(a: Origin, b: Origin): boolean {
  return a.host === b.host || a.requester === b.requester;
}

function tooManyFetches(): Problem {
  return rateLimited("Too many documents of applications are being fetched at the moment.", 5);
}
