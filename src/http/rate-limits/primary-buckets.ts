// Buckets and counters that all workers of one server share: their primary keeps them in its memory.

import cluster, { type Worker } from "node:cluster";
import { RateLimiterCluster, RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { FailureCounters } from "./failure-counters.ts";
import { memoryBuckets } from "./memory-buckets.ts";
import type { SharedBuckets } from "./shared-buckets.ts";
import { withinPatience } from "./store-timeout.ts";
import type { Policy, Taken } from "./token-bucket.ts";

type Ask = { what: "take" | "look"; policy: Policy; key: string; tokens?: number | undefined };
type Asking = { bucketAsks: Ask[]; id: number };
type Answering = { bucketAnswers: Taken[]; id: number };

/** In the primary: answers what `primaryBuckets` and `primaryCounters` ask in the workers. */
export function countForWorkers(): void {
  const buckets = memoryBuckets();
  cluster.on("message", (worker: Worker, { bucketAsks, id }: Partial<Asking>) => {
    if (!bucketAsks) return;
    const bucketAnswers = bucketAsks.map(({ what, policy, key, tokens }) => buckets[what](policy, key, tokens));
    if (worker.isConnected()) worker.send({ bucketAnswers, id });
  });
  new RateLimiterClusterMaster();
}

/** In a worker: what is asked in one turn of its event loop goes out in one message. */
export function primaryBuckets(): SharedBuckets {
  const unanswered = new Map<number, (answers: Taken[]) => void>();
  let gathered: { asks: Ask[]; answers: Promise<Taken[]> } | null = null;
  let id = 0;
  process.on("message", ({ bucketAnswers, id }: Partial<Answering>) => {
    if (bucketAnswers && id !== undefined) unanswered.get(id)?.(bucketAnswers);
  });

  const sendGathered = (asks: Ask[]) => {
    const sent = ++id;
    const answers = new Promise<Taken[]>((resolve, reject) => {
      unanswered.set(sent, resolve);
      setImmediate(() => {
        gathered = null;
        const asking: Asking = { bucketAsks: asks, id: sent };
        process.send?.(asking, undefined, undefined, (error) => error && reject(error));
      });
    });
    return withinPatience(answers).finally(() => unanswered.delete(sent));
  };
  const ask = async (one: Ask): Promise<Taken> => {
    if (!gathered) {
      const asks: Ask[] = [];
      gathered = { asks, answers: sendGathered(asks) };
    }
    const at = gathered.asks.push(one) - 1;
    return (await gathered.answers)[at] as Taken;
  };

  return {
    take: (policy, key, tokens) => ask({ what: "take", policy, key, tokens }),
    look: (policy, key) => ask({ what: "look", policy, key }),
  };
}

/** In a worker. */
export const primaryCounters: FailureCounters = (name, limit) => new RateLimiterCluster({ keyPrefix: name, ...limit });
