// A cache of answers that never gives an old one. Answers about a streamer's donations change only when a donation is recorded or the state of
// an alert changes, and both raise a counter of the streamer. One short read of these counters tells whether a cached answer is still correct,
// whichever process made the change.

import type { Knex } from "knex";
import { LRUCache } from "lru-cache";
import type { BatchedReads } from "./batched-reads.ts";
import { readCounters } from "./counters.ts";

type CacheKey = Readonly<{
  streamerId: string;
  /** Everything else that the answer depends on, the reader included. */
  text: string;
  /** Whether the answer shows states of alerts. */
  showsAlerts: boolean;
}>;

/**
 * Returns the cached answer of the key, or the result of `make`, which callers must not modify. Rejects with the error of `make`. `recorded`:
 * the streamer's last sequence; donations may come after it at any time.
 */
export type AnswerCache = <Answer extends Sized>(
  key: CacheKey,
  make: (recorded: number, shared: SharedCache) => Promise<Answer>,
) => Promise<Answer>;

/** Caches what several answers of the same streamer need, under the same counters. `text`: what it depends on beside the streamer. */
type SharedCache = <Answer extends Sized>(text: string, make: () => Promise<Answer>) => Promise<Answer>;

/** `byteLength`: about what it takes in memory. */
type Sized = { readonly byteLength: number };

/** `version`: the counters that were read before the answer was made. */
type Entry = Readonly<{ version: string; answer: Promise<Sized> }>;

/** Memory limit of the cache of a process. */
const defaultMaxBytes = 16_000_000;
/** What an entry takes in memory beside its texts, measured at 600 to 900 bytes. */
const entryBytes = 1_000;

/**
 * The counters are read after the request has arrived, and an answer is cached under counters that were read before it was made. So an answer
 * never lacks a donation that was acknowledged before the request arrived. Callers with the same key at the same time share one `make`.
 * `forget` drops all answers about a streamer.
 */
export function answerCache(reads: BatchedReads, maxBytes = defaultMaxBytes): AnswerCache & { forget: (streamerId: string) => void } {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes });

  const make = (key: string, version: string, work: Promise<Sized>): Promise<Sized> => {
    const entry: Entry = { version, answer: work.then(withOwnMemory) };
    const isReplaced = () => entries.peek(key) !== entry;
    entries.set(key, entry, { size: 1 }); // its size is known when it has been made
    entry.answer.then(
      ({ byteLength }) => {
        if (isReplaced()) return;
        entries.delete(key); // set again, the same value would keep its size
        entries.set(key, entry, { size: byteLength + 2 * key.length + entryBytes });
      },
      () => isReplaced() || entries.delete(key),
    );
    return entry.answer;
  };

  const forget = (streamerId: string) => {
    for (const key of [...entries.keys()]) if (key.startsWith(`${streamerId} `)) entries.delete(key);
  };

  const answer: AnswerCache = async ({ streamerId, text, showsAlerts }, work) => {
    const { version, recorded } = await versionOf(reads, streamerId, showsAlerts);
    const cached = (text: string, work: () => Promise<Sized>) => {
      const key = `${streamerId} ${text}`;
      const entry = entries.get(key);
      return entry?.version === version ? entry.answer : make(key, version, work());
    };
    const shared = cached as SharedCache; // all answers of one key have the same type
    return shared(text, () => work(recorded, shared));
  };
  return Object.assign(answer, { forget });
}

/**
 * Invalidates every cached answer about a streamer, in all processes, when the transaction commits: for a change that is neither a donation nor
 * a move of an alert. Sequences may have gaps.
 */
export async function invalidateAnswers(knex: Knex, streamerId: string): Promise<void> {
  await knex.raw("update streamers set last_sequence = last_sequence + 1 where id = ?", [streamerId]);
}

/** Node.js makes short buffers as parts of a block, all of which would stay in memory as long as one of them: such an answer is copied. */
function withOwnMemory(answer: Sized): Sized {
  if (!Buffer.isBuffer(answer) || answer.buffer.byteLength === answer.byteLength) return answer;
  const copy = Buffer.allocUnsafeSlow(answer.byteLength);
  answer.copy(copy);
  return copy;
}

async function versionOf(reads: BatchedReads, streamerId: string, showsAlerts: boolean) {
  const counters = await readCounters(reads, streamerId);
  // A database that was restored gives sequences again, but not at the same time.
  const version = `${counters?.recorded} ${counters?.receivedAt}`;
  return { version: showsAlerts ? `${version} ${counters?.alerts}` : version, recorded: counters?.recorded ?? 0 };
}

// Caches the answers of repeated requests alone. Most pages are requested once: to read the counters for each, and to cache its answer, would
// cost more than the cached ones save.

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
