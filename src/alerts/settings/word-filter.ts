// Finds a streamer's blocked words in every text that reaches ears or eyes: as it was sent, as pages show it, and as speech says it. Pure.

import { cleanText } from "../../base/text.ts";
import { lruMap } from "../../db/cache/lru-map.ts";
import { spokenText } from "../../speech/spoken-text.ts";
import { type Form, formsOf, lettersOf, writtenForms } from "./filtered-text.ts";
import { buildAutomaton, bytesOfNode, findWords, type WordAutomaton } from "./word-automaton.ts";

/** Stands for what is hidden. */
export const mask = "***";

/** What speech gets of a text: nothing of what is hidden. */
export function withoutMasks(text: string): string {
  return text.replaceAll(mask, " ");
}

/** Whether a text contains one of the words. */
export function containsBlocked(words: readonly string[], texts: readonly string[]): boolean {
  return words.length > 0 && texts.some((text) => verdictOn(words, text).blocked);
}

/** The text with `mask` in place of each shortest piece that contains one of the words. The result contains none of them. */
export function maskBlocked(words: readonly string[], text: string): string {
  if (!containsBlocked(words, [text])) return text;
  const verdict = verdictOn(words, text);
  verdict.masked ??= maskAll(filterOf(words).automaton, text);
  return verdict.masked;
}

type Verdict = { blocked: boolean; masked?: string };
type Filter = { automaton: WordAutomaton; verdicts: ReturnType<typeof lruMap<Verdict>> };

/** Of all streamers whose alerts or widgets are shown. The most that settings allow takes 4 MB. */
const filters = lruMap<Filter>(64 * 2 ** 20);
const bytesOfVerdicts = 2 ** 18;

const latest = new WeakMap<readonly string[], Filter>();

/** Settings are read again and again, so the filter is found by the words. */
function filterOf(words: readonly string[]): Filter {
  const known = latest.get(words);
  if (known) return known;
  const key = JSON.stringify(words);
  const filter = filters.use(key) ?? makeFilter(words);
  filters.set(key, filter, 2 * key.length + bytesOfVerdicts + bytesOfNode * filter.automaton.nodes);
  latest.set(words, filter);
  return filter;
}

/** Leaves out words without visible characters: their empty form would match every text. */
function makeFilter(words: readonly string[]): Filter {
  const forms = words.map((word) => writtenForms([word]));
  const visible = forms.filter(([, close]) => close?.text !== "");
  return { automaton: buildAutomaton(visible.flat().map(({ text }) => text)), verdicts: lruMap(bytesOfVerdicts) };
}

/** Kept with the text while the words are the same: widgets are read again at each donation. */
function verdictOn(words: readonly string[], text: string): Verdict {
  const { automaton, verdicts } = filterOf(words);
  const known = verdicts.use(text);
  if (known) return known;
  const verdict: Verdict = { blocked: isBlocked(automaton, text) };
  verdicts.set(text, verdict, 4 * text.length + 100);
  return verdict;
}

function isBlocked(automaton: WordAutomaton, text: string): boolean {
  const seen = [text, cleanText(text), spokenText(withoutMasks(text), Number.POSITIVE_INFINITY)];
  return [...new Set(seen)].some((one) => formsOf([one]).some((form) => findWords(automaton, form.text, 1).length > 0));
}

/** Masking can bring letters together that make a word again; after so many rounds the whole text is masked. */
const maxRounds = 3;

/** A word that only speech makes, such as by repeating one for ๆ, is in no letters of the text: all of it is masked. */
function maskAll(automaton: WordAutomaton, text: string): string {
  let masked = text;
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const once = maskOnce(automaton, masked);
    if (once === masked) return mask;
    if (!isBlocked(automaton, once)) return once;
    masked = once;
  }
  return mask;
}

type Piece = { from: number; to: number };

/** Masks from left to right. A piece ends with the first letter that completes a word, and begins as late as it still contains one. */
function maskOnce(automaton: WordAutomaton, text: string): string {
  const letters = lettersOf(text);
  const pieces = formsOf(letters).flatMap((form) => piecesOf(automaton, form));
  pieces.sort((a, b) => a.to - b.to || b.from - a.from);
  const out: string[] = [];
  let done = 0;
  for (const { from, to } of pieces) {
    if (from < done) continue;
    out.push(...letters.slice(done, from), mask);
    done = to + 1;
  }
  return [...out, ...letters.slice(done)].join("");
}

function piecesOf(automaton: WordAutomaton, { text, letterOf }: Form): Piece[] {
  return findWords(automaton, text).map(({ begin, end }) => ({ from: letterOf[begin] as number, to: letterOf[end - 1] as number }));
}
