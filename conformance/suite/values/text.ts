// Texts of many alphabets, lengths and spellings.

import fc from "fast-check";
import { type LengthUnit, target } from "./target.ts";

type Range = readonly [first: number, last: number];

// Each alphabet is a set of code points; a text of n of them has a length of n (interface 2.1, lengths in code points).
const ranges = {
  ascii: [[0x20, 0x7e]],
  control: [
    [0x01, 0x1f],
    [0x7f, 0x9f],
  ],
  thai: [
    [0x0e01, 0x0e3a],
    [0x0e3f, 0x0e5b],
  ],
  thaiMarks: [
    [0x0e31, 0x0e31],
    [0x0e34, 0x0e3a],
    [0x0e47, 0x0e4e],
  ],
  combining: [
    [0x0300, 0x036f],
    [0x20d0, 0x20f0],
  ],
  rightToLeft: [
    [0x0591, 0x05ea],
    [0x0620, 0x06d3],
    [0x200e, 0x200f],
    [0x202a, 0x202e],
    [0x2066, 0x2069],
  ],
  emoji: [
    [0x1f300, 0x1f64f],
    [0x1f3fb, 0x1f3ff],
    [0x1f1e6, 0x1f1ff],
    [0x200d, 0x200d],
    [0xfe0f, 0xfe0f],
  ],
  astral: [
    [0x10000, 0x10fff],
    [0x20000, 0x2a6df],
    [0xe0100, 0xe01ef],
    [0x10fff0, 0x10fffd],
  ],
  edges: [
    [0x2028, 0x2029],
    [0xd7ff, 0xd7ff],
    [0xe000, 0xe000],
    [0xfeff, 0xfeff],
    [0xfffd, 0xfffd],
  ],
  nonCharacters: [
    [0xfdd0, 0xfdef],
    [0xfffe, 0xffff],
    [0x10fffe, 0x10ffff],
  ],
} satisfies Record<string, readonly Range[]>;

export type Alphabet = keyof typeof ranges;

export const allAlphabets = Object.keys(ranges) as Alphabet[];

/** Those of which texts are made unless a rule asks for another: the interface does not say whether the others belong into a text. */
export const alphabets = allAlphabets.filter((alphabet) => alphabet !== "control" && alphabet !== "nonCharacters");

/** Every one of these code points belongs to the alphabet. */
export const areOf = (alphabet: Alphabet, codePoints: readonly number[]): boolean =>
  codePoints.length > 0 &&
  codePoints.every((code) => (ranges[alphabet] as readonly Range[]).some(([first, last]) => code >= first && code <= last));

const letters = (alphabet: Alphabet): fc.Arbitrary<string> =>
  fc
    .oneof(...ranges[alphabet].map(([min = 0, max = 0]) => ({ weight: max - min + 1, arbitrary: fc.integer({ min, max }) })))
    .map((code) => String.fromCodePoint(code));

const anyLetter = fc.oneof({ withCrossShrink: true }, ...alphabets.map(letters));

/**
 * Texts of exactly `length` code points, of one alphabet or of `alphabets` mixed. Those of one alphabet neither begin nor end with a blank,
 * which `withoutBlankEnds` would replace by a letter of another.
 */
export function textOf(length: number, alphabet?: Alphabet): fc.Arbitrary<string> {
  const unit = alphabet ? letters(alphabet) : anyLetter;
  if (!alphabet || length === 0) return fc.string({ unit, minLength: length, maxLength: length });
  const end = unit.filter((letter) => letter.trim() !== "");
  if (length === 1) return end;
  const middle = fc.string({ unit, minLength: length - 2, maxLength: length - 2 });
  return fc.tuple(end, middle, end).map((parts) => parts.join(""));
}

/** Texts of `min` to `max` code points; both ends are frequent. */
export const text = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: textOf(min) },
    { weight: 1, arbitrary: textOf(max) },
    { weight: 3, arbitrary: fc.string({ unit: anyLetter, minLength: min, maxLength: max, size: "medium" }) },
  );

// Builds texts whose length is decided in the run's unit of lengths. In code points the texts are used as they are.

const filler = "a";

/** The text with a letter for each blank at its ends: the interface does not say whether a server counts these. */
const withoutBlankEnds = (text: string): string => text.replace(/^\s+|\s+$/gu, (blanks) => filler.repeat(blanks.length));

/** The longest beginning of the text that a sound server counts as at most `max` characters, filled up to `max` where that is possible. */
export function fitting(text: string, max: number): string {
  const unit = lengthUnit();
  const letters = lettersOf(text, unit === "graphemes");
  const fits = (count: number): boolean => most(letters.slice(0, count).join(""), unit) <= max;
  let fitted = letters.slice(0, largest(letters.length, fits)).join("");
  if (fitted.length < text.length && most(fitted + filler, unit) <= max) fitted += filler;
  return withoutBlankEnds(fitted);
}

/** The text, changed where a sound server might count at most `max` characters in it; the text has more than `max` code points. */
export function exceeding(text: string, max: number): string {
  const solid = withoutBlankEnds(text);
  return fewest(solid, lengthUnit()) > max ? solid : lettersOf(solid, true).join("");
}

/** The longest of the texts from `text(1)` on that a sound server counts as at most `max` characters. */
export const longestFitting = (text: (count: number) => string, max: number): string =>
  text(largest(longestCluster * max, (count) => most(text(count), lengthUnit()) <= max));

/** The shortest of the texts from `text(1)` on that a sound server counts as more than `max` characters. */
export const shortestExceeding = (text: (count: number) => string, max: number): string =>
  text(largest(longestCluster * (max + 1), (count) => fewest(text(count), lengthUnit()) <= max) + 1);

/** More code points than any grapheme of the suite has. */
const longestCluster = 8;

/** The code points of the text; `apart`: each begins a grapheme of its own, behind a filler where it would not by itself. */
function lettersOf(text: string, apart: boolean): string[] {
  if (!apart) return [...text];
  const letters: string[] = [];
  for (const letter of text) letters.push(joins(letters.at(-1) ?? "", letter) ? filler + letter : letter);
  return letters;
}

const joins = (before: string, letter: string): boolean => fewest(before + letter, "graphemes") <= fewest(before, "graphemes");

/** The largest number up to `limit` for which the condition holds; it holds for no number above one for which it does not. */
function largest(limit: number, holds: (count: number) => boolean): number {
  let [least, tooMany] = [0, limit + 1];
  while (tooMany - least > 1) {
    const middle = Math.floor((least + tooMany) / 2);
    if (holds(middle)) least = middle;
    else tooMany = middle;
  }
  return least;
}

// Interface 2.1 and 8 count texts in "characters" and do not say what a character is: a code point, a UTF-16 unit or a grapheme.

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

const countOf: Record<Exclude<LengthUnit, "all">, (text: string) => number> = {
  "code-points": (text) => [...text].length,
  "utf-16": (text) => text.length,
  graphemes: (text) => [...segmenter.segment(text)].length,
};

/** The unit of this run. */
export const lengthUnit = (): LengthUnit => target().lengthUnit;

/** The fewest characters that a sound server may count in this text. */
export const fewest = (text: string, unit: LengthUnit): number => countOf[unit === "all" ? "graphemes" : unit](text);

/** The most characters that a sound server may count in this text. */
export const most = (text: string, unit: LengthUnit): number => countOf[unit === "all" ? "utf-16" : unit](text);

/** A text as titles of rules show it. */
export const onOneLine = (text: string): string => text.replaceAll("\n", "\\n");

// Texts that some normalisation makes equal: line ends, normal forms, case, blanks, characters that are not seen. A server keeps each of them
// as it was sent.

const lineEnds = ["\n", "\r\n", "\r", "\n\r", "\u2028", "\u2029", "\u0085", "\u000b", "\u000c"];
const blanks = [" ", "  ", "\u00a0", "\u3000", "\u200b", "\t", "\ufeff"];
/** Control characters, joiners, marks of direction, invisible operators and fillers, tags. */
const unseen = [
  ...["\u0001", "\u0008", "\u001b", "\u007f", "\u009f", "\u00ad", "\u200d", "\u200e", "\u202e", "\u2060"],
  ...["\u2063", "\u3164", "\ufff9", "\ufffd", "\u{e0067}"],
];
/** Its last six characters are tags. */
const flagOfEngland = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
/** Composed, compatible and cased letters, among them singletons of NFC (the Kelvin and the Angstrom sign) and Thai SARA AM. */
const variedLetters = ["é", "ﬁ①Ａ", "ก้ำ", "\u212a\u212b", "가", "ß", "Σς", "İi", "q\u0323\u0307", "❤\ufe0f", "½²", flagOfEngland];

const changes = [
  (text: string) => text,
  ...(["NFC", "NFD", "NFKC", "NFKD"] as const).map((form) => (text: string) => text.normalize(form)),
  (text: string) => text.toLowerCase(),
  (text: string) => text.toUpperCase(),
];

/** Each spelling once; the shortest has one letter, the longest below 20. */
export const spellings: readonly string[] = [
  ...new Set([
    ...lineEnds.flatMap((end) => [`a${end}b`, `${end}a`, `a${end}`, `a${end}${end}b`]),
    ...blanks.flatMap((blank) => [`a${blank}b`, `${blank}a`, `a${blank}`]),
    ...unseen.flatMap((mark) => [`a${mark}b`, `${mark}a`, `a${mark}`]),
    ...variedLetters.flatMap((text) => changes.map((change) => change(text))),
    "@a",
    "a",
    "A",
  ]),
];

// Secrets are compared letter by letter: one in the other case is another.

/** The text with small letters for capitals, and capitals for small ones. */
export const inOtherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));
