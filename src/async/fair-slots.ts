// Limits how many tasks run at once, and lets keys take turns, so that a key with many tasks does not keep the others waiting.

import { fairQueue } from "./fair-queue.ts";

export type SlotLimits = {
  /** Tasks that run at once. */
  max: number;
  /** Tasks that may wait, and for how long. */
  maxWaiting: number;
  waitMs: number;
  /** Makes the error of a task that is one too many, or that has waited too long. */
  tooMany: (maxWaiting: number) => Error;
};

/** Runs the task when it is its turn, and resolves or rejects as the task does. Rejects with `tooMany` when its turn does not come. */
export type FairSlots = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;

type Waiting = { start: () => void; hasEnded: boolean };

export function fairSlots({ max, maxWaiting, waitMs, tooMany }: SlotLimits): FairSlots {
  const waiting = fairQueue<Waiting>();
  let running = 0;

  const waitForSlot = (key: string) =>
    new Promise<void>((resolve, reject) => {
      const one: Waiting = { start: () => end(resolve), hasEnded: false };
      const timer = setTimeout(() => end(() => reject(tooMany(maxWaiting))), waitMs);
      const end = (settle: () => void) => {
        clearTimeout(timer);
        one.hasEnded = true;
        settle();
      };
      waiting.add(key, one);
    });
  /** Passes the slot on, or frees it. */
  const leaveSlot = () => {
    for (let next = waiting.take(1)[0]; next; next = waiting.take(1)[0]) if (!next.hasEnded) return next.start();
    running -= 1;
  };

  return async (key, task) => {
    if (running < max) running += 1;
    else if (waiting.size() >= maxWaiting) throw tooMany(maxWaiting);
    else await waitForSlot(key);
    try {
      return await task();
    } finally {
      leaveSlot();
    }
  };
}
