// Whose document is fetched next. Anybody can ask for any number of documents and answer them as slowly as they like, so one host has
// a part of the connections only, and who has asked for little comes before who has asked for much.

import { Problem } from "../http/problem.ts";

/** Where a document lies, and who asks for it. */
export type Origin = Readonly<{ host: string; asker: string }>;

export type QueueLimits = Readonly<{
  /** Documents that are fetched at once, and how many of them from one host. */
  atOnce: number;
  perHost: number;
  /** How many may wait, and for how many milliseconds. */
  waiting: number;
  patienceMs: number;
}>;

export type FetchQueue = ReturnType<typeof fetchQueue>;

type Waiting = { origin: Origin; rank: number; start: () => void; refuse: (problem: Problem) => void };

export function fetchQueue({ atOnce, perHost, waiting: mostWaiting, patienceMs }: QueueLimits) {
  const running: Origin[] = [];
  let waiting: Waiting[] = [];

  const remove = (one: Waiting) => {
    waiting = waiting.filter((other) => other !== one);
  };

  /** Lets those go on that may, the lowest rank first; a sort is stable, so that of one rank the oldest goes first. */
  const admit = () => {
    for (const one of waiting.toSorted(byRank)) {
      if (running.length >= atOnce) return;
      if (running.filter(({ host }) => host === one.origin.host).length >= perHost) continue;
      remove(one);
      running.push(one.origin);
      one.start();
    }
  };

  const turn = (origin: Origin) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => one.refuse(tooMany()), patienceMs);
      const settled = (then: () => void) => {
        clearTimeout(timer);
        then();
      };
      const refuse = (problem: Problem) => {
        remove(one);
        settled(() => reject(problem));
      };
      const others = [...running, ...waiting.map((other) => other.origin)].filter((other) => isRelated(other, origin));
      const one: Waiting = { origin, rank: others.length, start: () => settled(resolve), refuse };
      waiting.push(one);
      admit();
      if (waiting.length > mostWaiting) waiting.toSorted(byRank).at(-1)?.refuse(tooMany());
    });

  return {
    /** Runs the task when it is its turn. Throws rate_limited when that takes too long, or when too many wait. */
    run: async <Result>(origin: Origin, task: () => Promise<Result>): Promise<Result> => {
      await turn(origin);
      try {
        return await task();
      } finally {
        running.splice(running.indexOf(origin), 1);
        admit();
      }
    },
  };
}

function byRank(a: Waiting, b: Waiting): number {
  return a.rank - b.rank;
}

function isRelated(a: Origin, b: Origin): boolean {
  return a.host === b.host || a.asker === b.asker;
}

function tooMany(): Problem {
  return new Problem("rate_limited", "Too many documents of applications are being fetched at the moment.", {
    headers: { "Retry-After": "5" },
  });
}
