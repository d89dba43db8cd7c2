// Limits how many batches a process sends at the same time. Endpoints that fail or answer slowly have a limit of their own, and so have all
// endpoints of one streamer, so that they delay no other.

import pLimit, { type LimitFunction } from "p-limit";

export type Lane = Readonly<{ streamerId: string; isSlow: boolean }>;

export type BatchLimits = Readonly<{ run: <Result>(lane: Lane, task: () => Promise<Result>) => Promise<Result> }>;

const limits = { quick: { inAll: 256, perStreamer: 64 }, slow: { inAll: 64, perStreamer: 16 } } as const;

export function openBatchLimits(): BatchLimits {
  const [quick, slow] = [openLane(limits.quick), openLane(limits.slow)];
  return { run: ({ streamerId, isSlow }, task) => (isSlow ? slow : quick)(streamerId, task) };
}

function openLane({ inAll, perStreamer }: Readonly<{ inAll: number; perStreamer: number }>) {
  const all = pLimit(inAll);
  const streamers = new Map<string, LimitFunction>();
  return async <Result>(streamerId: string, task: () => Promise<Result>): Promise<Result> => {
    const own = streamers.get(streamerId) ?? pLimit(perStreamer);
    streamers.set(streamerId, own);
    try {
      return await own(() => all(task));
    } finally {
      if (own.activeCount + own.pendingCount === 0) streamers.delete(streamerId);
    }
  };
}
