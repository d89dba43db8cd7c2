// Finds a streamer's blocked words in every text that reaches ears or eyes: as it was sent, as pages show it, and as speech says it. Pure.

import { LRUCache } from "lru-cache";
import { cleanText, foldPart, withArabicDigits } from "../../base/text.ts";
import { spokenText } from "../../speech/speech-text.ts";

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
type Filter = { automaton: WordAutomaton; verdicts: LRUCache<string, Verdict> };

/** Of all streamers whose alerts or widgets are shown. The most that settings allow takes 4 MB. */
const filters = new LRUCache<string, Filter>({ maxSize: 64 * 2 ** 20 });
const bytesOfVerdicts = 2 ** 18;

const latest = new WeakMap<readonly string[], Filter>();

/** Settings are read again and again, so the filter is found by the words. */
function filterOf(words: readonly string[]): Filter {
  const known = latest.get(words);
  if (known) return known;
  const key = JSON.stringify(words);
  const filter = filters.get(key) ?? makeFilter(words);
  filters.set(key, filter, { size: 2 * key.length + bytesOfVerdicts + bytesOfNode * filter.automaton.nodes });
  latest.set(words, filter);
  return filter;
}

/** Leaves out words without visible characters: their empty form would match every text. */
function makeFilter(words: readonly string[]): Filter {
  const forms = words.map((word) => writtenForms([word]));
  const visible = forms.filter(([, close]) => close?.text !== "");
  return { automaton: buildAutomaton(visible.flat().map(({ text }) => text)), verdicts: new LRUCache({ maxSize: bytesOfVerdicts }) };
}

/** Kept with the text while the words are the same: widgets are read again at each donation. */
function verdictOn(words: readonly string[], text: string): Verdict {
  const { automaton, verdicts } = filterOf(words);
  const known = verdicts.get(text);
  if (known) return known;
  const verdict: Verdict = { blocked: isBlocked(automaton, text) };
  verdicts.set(text, verdict, { size: 4 * text.length + 100 });
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

/** `letterOf`: for each UTF-16 unit of `text` the index of the letter (grapheme) that it comes from. */
type Form = Readonly<{ text: string; letterOf: readonly number[] }>;

const remove = () => "";

const graphemes = new Intl.Segmenter("th", { granularity: "grapheme" });

function lettersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** The forms of a text as it is written, whose letters are given: folded, and without the separators of "s p a m". */
function writtenForms(letters: readonly string[]): [plain: Form, close: Form] {
  const plain = plainForm(letters);
  return [plain, closeForm(plain)];
}

/** The same, and both without pictures if there are any. The whole text given as one letter is folded faster. */
function formsOf(letters: readonly string[]): Form[] {
  const written = writtenForms(letters);
  if (!pictures.test(written[0].text)) return written;
  const heard = withSingleBlanks(replaceIn(written[0], new RegExp(pictures, "gv"), remove));
  return [...written, heard, closeForm(heard)];
}

/** What speech leaves out: emoji and their parts, but for digits, # and *, and characters that mean nothing. */
const pictures = /[[\p{Extended_Pictographic}\p{So}\p{Sk}\p{C}\p{Emoji_Component}]--[0-9#*]]/v;

/** Blanks become one space, invisible characters and repeated marks are removed. */
function plainForm(letters: readonly string[]): Form {
  const folded = new Map([...new Set(letters)].map((letter) => [letter, foldLetter(letter)]));
  const texts = letters.map((letter) => folded.get(letter) as string);
  const letterOf: number[] = [];
  for (const [index, { length }] of texts.entries()) for (let unit = 0; unit < length; unit += 1) letterOf.push(index);
  const onceMarked = replaceIn({ text: texts.join(""), letterOf }, /(\p{M})\1+/gu, ([, mark]) => mark as string);
  return withSingleBlanks(replaceIn(onceMarked, typedSaraAm, ([typed]) => foldPart(typed)));
}

function foldLetter(letter: string): string {
  const seen = letter
    .normalize("NFKC")
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  return withArabicDigits(foldPart(seen));
}

/** Its two letters are letters of their own, so folding each does not show them to be one. */
const typedSaraAm = /\u0e4d[\u0e48-\u0e4b]\u0e32/g;

function withSingleBlanks(form: Form): Form {
  return replaceIn(
    replaceIn(form, / {2,}/g, () => " "),
    /^ | $/g,
    remove,
  );
}

const separators = "[ ._*·<>[\\]{}|\\\\~=-]+";
const betweenThai = new RegExp(`(?<=\\p{Script=Thai})${separators}(?=\\p{Script=Thai})`, "gu");
const betweenSingles = new RegExp(
  `(?<=(?<![\\p{L}\\p{N}\\p{M}])[\\p{L}\\p{N}]\\p{M}*)${separators}(?=[\\p{L}\\p{N}]\\p{M}*(?![\\p{L}\\p{N}\\p{M}]))`,
  "gu",
);

/**
 * Removes the separators of "s p a m" and "s.p.a.m": single letters are joined. Longer pieces are not, because "was sad" would then
 * contain a word that is not there. Thai is written without blanks inside words, so all separators between Thai letters are removed.
 */
function closeForm(plain: Form): Form {
  return replaceIn(replaceIn(plain, betweenThai, remove), betweenSingles, remove);
}

/** Replaces what the pattern matches. Each unit of a replacement comes from the letter that stood in its place. */
function replaceIn({ text, letterOf }: Form, pattern: RegExp, by: (match: RegExpExecArray) => string): Form {
  let replaced = "";
  const from: number[] = [];
  const append = (piece: string, begin: number, length: number) => {
    replaced += piece;
    for (let unit = 0; unit < piece.length; unit += 1) from.push(letterOf[begin + Math.min(unit, length - 1)] as number);
  };
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    append(text.slice(done, match.index), done, match.index - done);
    append(by(match), match.index, match[0].length);
    done = match.index + match[0].length;
  }
  if (done === 0) return { text, letterOf };
  append(text.slice(done), done, text.length - done);
  return { text: replaced, letterOf: from };
}

/**
 * Finds any of many words in a text in one pass (Aho-Corasick). No package prepares the words fast enough: the 200 words of 900 letters that
 * settings may have take @monyone/aho-corasick 170 ms, its compact variant 13 s, and modern-ahocorasick 430 ms; this takes 15 ms.
 *
 * The words as a tree of letters (UTF-16 units). Node 0 is the root; 0 as a child or sibling stands for none.
 */
type WordAutomaton = {
  nodes: number;
  letter: Uint16Array;
  parent: Int32Array;
  child: Int32Array;
  sibling: Int32Array;
  /** The node of the longest end of this node's letters that is in the tree, too; -1 until a text comes to this node. */
  shorter: Int32Array;
  /** Length of a word that ends at this node, and the shortest such length once `shorter` is known; 0: none ends here. */
  found: Uint16Array;
};

const bytesOfNode = 20;

/** `begin` is the place of the first letter, `end` the one after the last. */
type Place = Readonly<{ begin: number; end: number }>;

function buildAutomaton(words: Iterable<string>): WordAutomaton {
  const unique = [...new Set(words)];
  const most = unique.reduce((sum, { length }) => sum + length, 1);
  const numbers = () => new Int32Array(most);
  const letters = () => new Uint16Array(most);
  const links = { parent: numbers(), child: numbers(), sibling: numbers(), shorter: numbers().fill(-1) };
  const tree = { nodes: 1, letter: letters(), ...links, found: letters() };
  tree.shorter[0] = 0;
  for (const word of unique) addWord(tree, word);
  return tree;
}

/** The shortest word at each place where a word ends, at most `most` of them. */
function findWords(tree: WordAutomaton, text: string, most = Number.POSITIVE_INFINITY): Place[] {
  const places: Place[] = [];
  let node = 0;
  for (let at = 0; at < text.length && places.length < most; at += 1) {
    node = nextNode(tree, node, text.charCodeAt(at));
    shorterOf(tree, node);
    const length = tree.found[node] as number;
    if (length > 0) places.push({ begin: at + 1 - length, end: at + 1 });
  }
  return places;
}

function addWord(tree: WordAutomaton, word: string): void {
  let node = 0;
  for (let at = 0; at < word.length; at += 1) node = childOf(tree, node, word.charCodeAt(at)) || addNode(tree, node, word.charCodeAt(at));
  tree.found[node] = word.length;
}

function addNode(tree: WordAutomaton, parent: number, code: number): number {
  const node = tree.nodes++;
  tree.letter[node] = code;
  tree.parent[node] = parent;
  tree.sibling[node] = tree.child[parent] as number;
  tree.child[parent] = node;
  return node;
}

/** Most nodes are never reached by a text, so their links are not made ahead. A link leads to a node nearer the root. */
function shorterOf(tree: WordAutomaton, node: number): number {
  const known = tree.shorter[node] as number;
  if (known >= 0) return known;
  const parent = tree.parent[node] as number;
  const shorter = parent === 0 ? 0 : nextNode(tree, shorterOf(tree, parent), tree.letter[node] as number);
  shorterOf(tree, shorter);
  tree.found[node] = (tree.found[shorter] as number) || (tree.found[node] as number);
  tree.shorter[node] = shorter;
  return shorter;
}

function nextNode(tree: WordAutomaton, from: number, code: number): number {
  for (let node = from; ; node = shorterOf(tree, node)) {
    const next = childOf(tree, node, code);
    if (next !== 0 || node === 0) return next;
  }
}

function childOf({ letter, child, sibling }: WordAutomaton, node: number, code: number): number {
  let next = child[node] as number;
  while (next !== 0 && letter[next] !== code) next = sibling[next] as number;
  return next;
}
