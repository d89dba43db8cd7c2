// Limits how many tasks of each key run at once.

import { type FairSlots, fairSlots, type SlotLimits } from "./fair-slots.ts";

/** Gives each key slots of its own within the limits. */
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
