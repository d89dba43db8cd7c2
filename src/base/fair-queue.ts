// A queue in which keys take turns, so that a key with many items does not keep the others waiting.

export type FairQueue<Item> = {
  /** Number of items that wait. */
  size: () => number;
  /** Number of items of the key that wait. */
  sizeOf: (key: string) => number;
  /** The item of the key that has waited longest. */
  oldest: (key: string) => Item | undefined;
  /** Since when the key whose turn is next has waited for its turn, by `performance.now()`; undefined in an empty queue. */
  turnSince: () => number | undefined;
  add: (key: string, item: Item) => void;
  /** Removes up to `max` items: one of each key, in the order in which the keys came, then the next one of each. */
  take: (max: number) => Item[];
  /** Removes up to `max` items of the key whose turn is next. */
  takeOfOne: (max: number) => Item[];
  /** Removes the newest item of the key with most items; undefined when none has more than `min`, which is at least 1. */
  removeNewestOfLongest: (min: number) => Item | undefined;
  /** Removes the oldest items of each key for as long as the condition holds. */
  removeWhile: (condition: (item: Item) => boolean) => Item[];
};

type Line<Item> = { items: Item[]; turnSince: number };

export function fairQueue<Item>(): FairQueue<Item> {
  const lines = new Map<string, Line<Item>>(); // in the order of their turns, none of them empty
  let size = 0;

  const next = (): Item => {
    const [key, line] = lines.entries().next().value as [string, Line<Item>];
    const item = line.items.shift() as Item;
    lines.delete(key);
    if (line.items.length > 0) lines.set(key, { ...line, turnSince: performance.now() });
    return item;
  };
  const removeFrom = (key: string, { items }: Line<Item>, count: number): Item[] => {
    size -= count;
    if (count === items.length) lines.delete(key);
    return items.splice(0, count);
  };

  const takeOfOne = (max: number): Item[] => {
    const [key, line] = lines.entries().next().value ?? [];
    if (key === undefined || line === undefined) return [];
    const taken = removeFrom(key, line, Math.min(max, line.items.length));
    lines.delete(key);
    if (line.items.length > 0) lines.set(key, { ...line, turnSince: performance.now() });
    return taken;
  };

  return {
    size: () => size,
    sizeOf: (key) => lines.get(key)?.items.length ?? 0,
    oldest: (key) => lines.get(key)?.items[0],
    turnSince: () => lines.values().next().value?.turnSince,
    add: (key, item) => {
      size += 1;
      const line = lines.get(key);
      if (line) line.items.push(item);
      else lines.set(key, { items: [item], turnSince: performance.now() });
    },
    take: (max) => {
      if (lines.size === 1) return takeOfOne(max);
      const count = Math.min(max, size);
      size -= count;
      return Array.from({ length: count }, next);
    },
    takeOfOne,
    removeNewestOfLongest: (min) => {
      const longest = [...lines.values()].reduce((a, b) => (b.items.length > a.items.length ? b : a), { items: [], turnSince: 0 });
      if (longest.items.length <= min) return undefined;
      size -= 1;
      return longest.items.pop();
    },
    removeWhile: (condition) =>
      [...lines].flatMap(([key, line]) => {
        const kept = line.items.findIndex((item) => !condition(item));
        return removeFrom(key, line, kept === -1 ? line.items.length : kept);
      }),
  };
}
