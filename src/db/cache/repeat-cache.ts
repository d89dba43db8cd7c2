// Caches the answers of repeated requests alone. Most pages are requested once: to read the counters for each, and to cache its answer, would
// cost more than the cached ones save.

import type { AnswerCache, CacheKey } from "./answer-cache.ts";

/**
 * Returns what `make` resolves to, or the cached bytes of an earlier one. An answer is cached (see `AnswerCache`) from the second time that its
 * key is requested. Rejects with the error of `make`.
 */
export type RepeatCache = <Text extends string>(key: CacheKey, make: () => Promise<Text>) => Promise<Text | Buffer>;

/** Keys that are remembered at most: 16 kB. */
const remembered = 4_096;

export function repeatCache(cache: AnswerCache, size = remembered): RepeatCache {
  const isRepeated = memory(size);
  return (key, make) => (isRepeated(`${key.streamerId} ${key.text}`) ? cache(key, async () => Buffer.from(await make())) : make());
}

/**
 * Remembers texts by 32 bits of each, in its place of a table, so that thousands of them are no work for the garbage collector. Returns whether
 * the text is remembered. A wrong yes or no costs time and is no fault: it only decides whether an answer is cached.
 */
function memory(size: number): (text: string) => boolean {
  const seen = new Uint32Array(size);
  return (text) => {
    const digest = digestOf(text);
    const place = digest % size;
    const isKnown = seen[place] === digest;
    seen[place] = digest;
    return isKnown;
  };
}

/** FNV-1a, 32 bits. */
function digestOf(text: string): number {
  let digest = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) digest = Math.imul(digest ^ text.charCodeAt(index), 0x01000193);
  return digest >>> 0;
}
