// A text in the forms in which blocked words are looked for in it. Pure.

import { foldPart, withArabicDigits } from "../../base/text.ts";

/** `letterOf`: for each UTF-16 unit of `text` the index of the letter (grapheme) that it comes from. */
export type Form = Readonly<{ text: string; letterOf: readonly number[] }>;

const remove = () => "";

const graphemes = new Intl.Segmenter("th", { granularity: "grapheme" });

export function lettersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** The forms of a text as it is written, whose letters are given: folded, and without the separators of "s p a m". */
export function writtenForms(letters: readonly string[]): [plain: Form, close: Form] {
  const plain = plainForm(letters);
  return [plain, closeForm(plain)];
}

/** The same, and both without pictures if there are any. The whole text given as one letter is folded faster. */
export function formsOf(letters: readonly string[]): Form[] {
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
