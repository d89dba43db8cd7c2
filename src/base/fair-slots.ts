// Limits how many tasks run at once, and lets keys take turns, so that a key with many tasks does not keep the others waiting.

import { fairQueue } from "./fair-queue.ts";

export type SlotLimits = {
  /** Tasks that run at once. */
  max: number;
  /** Tasks that may wait, those of one key among them (any number when undefined), and for how long. */
  maxWaiting: number;
  maxWaitingOfKey?: number;
  waitMs: number;
  /** When too many wait, one of the key with most tasks is rejected instead of one of a key with fewer. */
  favoursShortest?: boolean;
  /** Makes the error of a task that is one too many, or that has waited too long. */
  tooMany: (maxWaiting: number) => Error;
};

/** Resolves when it is the key's turn, with the function that releases the slot. Rejects with `tooMany` when its turn does not come. */
type AcquireSlot = (key: string) => Promise<() => void>;

/** Runs the task when it is its turn, and resolves or rejects as the task does. Rejects with `tooMany` when its turn does not come. */
export type FairSlots = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>;

type Waiting = { start: () => void; refuse: () => void; hasEnded: boolean };

/** For work that ends outside of the call that began it, such as a stream. `fairSlots` acquires and releases the slots of tasks. */
export function fairSemaphore({
  max,
  maxWaiting,
  maxWaitingOfKey = maxWaiting,
  waitMs,
  favoursShortest = false,
  tooMany,
}: SlotLimits): AcquireSlot {
  const waiting = fairQueue<Waiting>();
  let running = 0;

  const waitForSlot = (key: string) =>
    new Promise<void>((resolve, reject) => {
      const one: Waiting = { start: () => end(resolve), refuse: () => end(() => reject(tooMany(maxWaiting))), hasEnded: false };
      const timer = setTimeout(() => {
        one.refuse();
        waiting.removeWhile(({ hasEnded }) => hasEnded);
      }, waitMs);
      const end = (settle: () => void) => {
        clearTimeout(timer);
        one.hasEnded = true;
        settle();
      };
      waiting.add(key, one);
    });
  const hasRoom = (key: string): boolean => {
    if (waiting.sizeOf(key) >= maxWaitingOfKey) return false;
    if (waiting.size() < maxWaiting) return true;
    const refused = favoursShortest ? waiting.removeNewestOfLongest(waiting.sizeOf(key) + 1) : undefined;
    refused?.refuse();
    return refused !== undefined;
  };
  /** Passes the slot on, or frees it. */
  const release = () => {
    const [next] = waiting.take(1);
    if (next) next.start();
    else running -= 1;
  };

  return async (key) => {
    if (running < max) running += 1;
    else if (!hasRoom(key)) throw tooMany(maxWaiting);
    else await waitForSlot(key);
    return release;
  };
}

export function fairSlots(limits: SlotLimits): FairSlots {
  const acquire = fairSemaphore(limits);
  return async (key, task) => {
    const release = await acquire(key);
    try {
      return await task();
    } finally {
      release();
    }
  };
}

/** Limits how many tasks of each key run at once: each has slots of its own within the limits. */
export function slotsOfEach(limits: SlotLimits): FairSlots {
  const byKey = new Map<string, { run: FairSlots; tasks: number }>();
  const slotsOf = (key: string) => {
    const slots = byKey.get(key) ?? { run: fairSlots(limits), tasks: 0 };
    byKey.set(key, slots);
    return slots;
  };
  return async (key, task) => {
    const slots = slotsOf(key);
    slots.tasks += 1;
    try {
      return await slots.run(key, task);
    } finally {
      slots.tasks -= 1;
      if (slots.tasks === 0) byKey.delete(key); // a process meets any number of keys
    }
  };
}
