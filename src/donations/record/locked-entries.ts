// Donations that wait because another transaction has locked their streamers. Those of one streamer do not keep others' from their next try.

import type { Entry } from "./attempt.ts";

export type LockedEntries = Readonly<{
  size: () => number;
  /** The donation of the streamer that has waited longest. */
  oldest: (streamerId: string) => Entry | undefined;
  add: (entry: Entry) => void;
  delete: (entry: Entry) => void;
  /** Up to `max` donations, which stay: the oldest of each streamer, then the next one of each. Streamers who were left out are first next time. */
  turn: (max: number) => Entry[];
}>;

export function lockedEntries(): LockedEntries {
  const lines = new Map<string, Set<Entry>>(); // by streamer, in the order of their turns, none of them empty
  let size = 0;
  return {
    size: () => size,
    oldest: (streamerId) => lines.get(streamerId)?.values().next().value,
    add: (entry) => {
      const { streamerId } = entry.donation;
      const line = lines.get(streamerId) ?? new Set();
      lines.set(streamerId, line.add(entry));
      size += 1;
    },
    delete: (entry) => {
      const { streamerId } = entry.donation;
      const line = lines.get(streamerId);
      if (!line?.delete(entry)) return;
      size -= 1;
      if (line.size === 0) lines.delete(streamerId);
    },
    turn: (max) => {
      const next = [...lines].slice(0, max);
      for (const [streamerId, line] of next) {
        lines.delete(streamerId);
        lines.set(streamerId, line);
      }
      return inTurns(
        next.map(([, line]) => [...line.values().take(max)]),
        max,
      );
    },
  };
}

/** The first of each list, then the second of each, and so on. */
function inTurns<Item>(lists: readonly (readonly Item[])[], max: number): Item[] {
  const taken: Item[] = [];
  for (let turn = 0; taken.length < max && lists.some(({ length }) => turn < length); turn += 1)
    taken.push(...lists.flatMap((list) => list.slice(turn, turn + 1)));
  return taken.slice(0, max);
}
