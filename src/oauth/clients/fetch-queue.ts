// A fair queue of document fetches. Anybody can request any number of documents and let their host answer slowly, so one host gets only
// part of the connections, and a requester with few pending fetches goes before one with many.

import { Problem } from "../../http/problem.ts";

/** The host of a document, and the network that requested it. */
export type Origin = Readonly<{ host: string; requester: string }>;

export type QueueLimits = Readonly<{
  /** Documents that are fetched at the same time, and how many of them from one host. */
  maxConcurrent: number;
  maxPerHost: number;
  /** How many fetches may wait, and for how long. */
  maxWaiting: number;
  waitTimeoutMs: number;
}>;

/** `rank`: how many fetches of the same host or requester were pending when this one came. */
type Waiting = { origin: Origin; rank: number; start: () => void; reject: (problem: Problem) => void };

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
  return new Problem("rate_limited", "Too many documents of applications are being fetched at the moment.", {
    headers: { "Retry-After": "5" },
  });
}
