// Divides the rule files among several machines (`--shard 2/4`), by the times that were measured.

import { measuredTimeOf } from "./measured.ts";

/** One of several parts of a run, each run on its own: `index` from 1 to `count`. */
export type Shard = { index: number; count: number };

/** Parses `2/4`; null: the text is not a shard. */
export function parseShard(text: string): Shard | null {
  const [, index = 0, count = 0] = (/^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text) ?? []).map(Number);
  return index >= 1 && index <= count ? { index, count } : null;
}

/**
 * Returns the files of one shard, in their given order. The slowest file goes first to the shard that has the least to do, so that all
 * shards take about the same time. Every file is in exactly one shard.
 */
export function filesOfShard(files: readonly string[], { index, count }: Shard, familyOf: (file: string) => string): string[] {
  const timeOf = (file: string): number => measuredTimeOf(familyOf(file));
  const shards = Array.from({ length: count }, () => ({ milliseconds: 0, files: new Set<string>() }));
  for (const file of files.toSorted((a, b) => timeOf(b) - timeOf(a) || (a < b ? -1 : 1))) {
    const lightest = shards.reduce((least, one) => (one.milliseconds < least.milliseconds ? one : least));
    lightest.milliseconds += timeOf(file);
    lightest.files.add(file);
  }
  return files.filter((file) => shards[index - 1]?.files.has(file));
}
