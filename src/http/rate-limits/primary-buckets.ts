// Token buckets and failure counters that all workers of one server share, in the memory of their primary.

import cluster, { type Worker } from "node:cluster";
import { RateLimiterCluster, RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { FailureCounters } from "./failure-counters.ts";
import { memoryBuckets } from "./memory-buckets.ts";
import type { SharedBuckets } from "./shared-buckets.ts";
import { withStoreTimeout } from "./store-timeout.ts";
import type { Policy, Taken } from "./token-bucket.ts";

type BucketCall = { what: "take" | "peek"; policy: Policy; key: string; tokens?: number | undefined };
type CallMessage = { bucketCalls: BucketCall[]; id: number };
type AnswerMessage = { bucketAnswers: Taken[]; id: number };

/** Call it in the primary: it answers `primaryBuckets` and `primaryCounters` of the workers. */
export function countForWorkers(): void {
  const buckets = memoryBuckets();
  cluster.on("message", (worker: Worker, { bucketCalls, id }: Partial<CallMessage>) => {
    if (!bucketCalls) return;
    const bucketAnswers = bucketCalls.map(({ what, policy, key, tokens }) => buckets[what](policy, key, tokens));
    if (worker.isConnected()) worker.send({ bucketAnswers, id });
  });
  new RateLimiterClusterMaster();
}

/** Call it in a worker. All calls in one turn of the event loop are sent in one message, and rejected when its answer takes longer. */
export function primaryBuckets(timeoutMs: number): SharedBuckets {
  const unanswered = new Map<number, (answers: Taken[]) => void>();
  let gathered: { calls: BucketCall[]; answers: Promise<Taken[]> } | null = null;
  let id = 0;
  process.on("message", ({ bucketAnswers, id }: Partial<AnswerMessage>) => {
    if (bucketAnswers && id !== undefined) unanswered.get(id)?.(bucketAnswers);
  });

  const sendGathered = (calls: BucketCall[]) => {
    const sent = ++id;
    const answers = new Promise<Taken[]>((resolve, reject) => {
      unanswered.set(sent, resolve);
      setImmediate(() => {
        gathered = null;
        const message: CallMessage = { bucketCalls: calls, id: sent };
        process.send?.(message, undefined, undefined, (error) => error && reject(error));
      });
    });
    return withStoreTimeout(answers, timeoutMs).finally(() => unanswered.delete(sent));
  };
  const callPrimary = async (call: BucketCall): Promise<Taken> => {
    if (!gathered) {
      const calls: BucketCall[] = [];
      gathered = { calls, answers: sendGathered(calls) };
    }
    const at = gathered.calls.push(call) - 1;
    return (await gathered.answers)[at] as Taken;
  };

  return {
    take: (policy, key, tokens) => callPrimary({ what: "take", policy, key, tokens }),
    peek: (policy, key) => callPrimary({ what: "peek", policy, key }),
  };
}

/** Use it in a worker. */
export const primaryCounters: FailureCounters = (name, limit) => new RateLimiterCluster({ keyPrefix: name, ...limit });
