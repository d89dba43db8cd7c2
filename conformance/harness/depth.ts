import { target } from "./target.ts";

export const depths = ["quick", "full"] as const;

/** How many values a run tries. */
export type Depth = (typeof depths)[number];

const share = 8;
const fewest = 5;
const most = 100;

/** How many values a property gets that gets `full` of them when there is time. */
export const runs = (full: number): number => (target().depth === "full" ? full : Math.min(full, quick(full)));

/** All of them, or when there is little time a seeded sample that holds the first, the last and `always`; in their order. */
export function some<T>(values: readonly T[], always: readonly T[] = []): T[] {
  if (target().depth === "full" || values.length <= fewest) return [...values];
  const wanted = (value: T, index: number): boolean => index === 0 || index === values.length - 1 || always.includes(value);
  const kept = new Set(values.flatMap((value, index) => (wanted(value, index) ? [index] : [])));
  const random = randomly(target().seed + values.length);
  while (kept.size < quick(values.length)) kept.add(Math.floor(random() * values.length));
  return values.filter((_, index) => kept.has(index));
}

const quick = (full: number): number => Math.min(most, Math.max(fewest, Math.ceil(full / share)));

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomly(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
