// Keeps answers in memory for as long as they are correct. Answers about a streamer's donations change only when a donation is recorded or the
// state of an alert changes, and both raise a counter of the streamer. One short read of these counters tells whether a kept answer is still
// correct, whichever process made the change.

import type { Knex } from "knex";
import type { BatchedReads } from "./batched-reads.ts";
import { readCounters } from "./counters.ts";

export type Question = Readonly<{
  streamerId: string;
  /** Everything else that the answer depends on, the reader included. */
  text: string;
  /** Whether the answer shows states of alerts. */
  showsAlerts: boolean;
}>;

/**
 * Returns the kept answer to `question`, or the result of `make`, which callers must not modify. Rejects with the error of `make`. `recorded`:
 * the streamer's last sequence; donations may come after it at any time.
 */
export type KeptAnswers = <Answer extends Sized>(
  question: Question,
  make: (recorded: number, also: AlsoKept) => Promise<Answer>,
) => Promise<Answer>;

/** Keeps what several answers of the same streamer need, under the same counters. `text`: what it depends on beside the streamer. */
export type AlsoKept = <Answer extends Sized>(text: string, make: () => Promise<Answer>) => Promise<Answer>;

/** `byteLength`: about what it takes in memory. */
type Sized = { readonly byteLength: number };

type Kept = { version: string; answer: Promise<Sized>; bytes: number };

/** Memory limit of all kept answers of a process. */
const maxBytes = 16_000_000;
/** What an entry takes in memory beside its texts, measured at 600 to 900 bytes. */
const entryBytes = 1_000;

/**
 * The counters are read after the question has arrived, and an answer is kept under counters that were read before it was made. So an answer
 * never lacks a donation that was acknowledged before the question arrived. Callers with the same question at the same time share one `make`.
 * `forget` drops all answers about a streamer.
 */
export function keptAnswers(reads: BatchedReads, limit = maxBytes): KeptAnswers & { forget: (streamerId: string) => void } {
  const kept = new Map<string, Kept>(); // in the order of their last use
  let bytes = 0;

  const drop = (key: string, entry: Kept) => {
    if (kept.get(key) !== entry) return;
    kept.delete(key);
    bytes -= entry.bytes;
  };

  const make = (key: string, version: string, work: Promise<Sized>): Promise<Sized> => {
    const entry: Kept = { version, answer: work.then(alone), bytes: 0 };
    kept.set(key, entry);
    entry.answer.then(
      (answer) => {
        if (kept.get(key) !== entry) return;
        entry.bytes = answer.byteLength + 2 * key.length + entryBytes;
        bytes += entry.bytes;
        for (const [oldest, one] of kept) {
          if (bytes <= limit) break;
          drop(oldest, one);
        }
      },
      () => drop(key, entry),
    );
    return entry.answer;
  };

  const forget = (streamerId: string) => {
    for (const [key, entry] of kept) if (key.startsWith(`${streamerId} `)) drop(key, entry);
  };

  const answer: KeptAnswers = async ({ streamerId, text, showsAlerts }, work) => {
    const { version, recorded } = await versionOf(reads, streamerId, showsAlerts);
    const under = (text: string, work: () => Promise<Sized>) => {
      const key = `${streamerId} ${text}`;
      const entry = kept.get(key);
      if (entry) drop(key, entry);
      if (entry?.version !== version) return make(key, version, work());
      kept.set(key, entry);
      bytes += entry.bytes;
      return entry.answer;
    };
    const also = under as AlsoKept; // all answers to one question have the same type
    return also(text, () => work(recorded, also));
  };
  return Object.assign(answer, { forget });
}

/**
 * Ends every kept answer of a streamer, in all processes, when the transaction commits: for a change that is neither a donation nor a move
 * of an alert. Sequences may have gaps.
 */
export async function endKeptAnswers(knex: Knex, streamerId: string): Promise<void> {
  await knex.raw("update streamers set last_sequence = last_sequence + 1 where id = ?", [streamerId]);
}

/** The answer in memory of its own: Node.js makes short buffers as parts of a block, all of which would stay as long as one of them. */
function alone(answer: Sized): Sized {
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
