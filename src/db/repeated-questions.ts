// Keeps answers to repeated questions alone. Most pages are asked for once: to read the counters for each, and to keep its answer, would cost
// more than the kept ones save.

import type { KeptAnswers, Question } from "./kept-answers.ts";

/**
 * Returns what `make` resolves to, or the kept bytes of an earlier one. An answer is kept (see `KeptAnswers`) from the second time that its
 * question is asked. Rejects with the error of `make`.
 */
export type RepeatedQuestions = <Text extends string>(question: Question, make: () => Promise<Text>) => Promise<Text | Buffer>;

/** Questions that are remembered at most: 16 kB. */
const remembered = 4_096;

export function repeatedQuestions(kept: KeptAnswers, size = remembered): RepeatedQuestions {
  const isRepeated = memory(size);
  return (question, make) =>
    isRepeated(`${question.streamerId} ${question.text}`) ? kept(question, async () => Buffer.from(await make())) : make();
}

/**
 * Remembers texts by 32 bits of each, in its place of a table, so that thousands of them are no work for the garbage collector. Returns whether
 * the text is remembered. A wrong yes or no costs time and is no fault: it only decides whether an answer is kept.
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
