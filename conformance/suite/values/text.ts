// Generates texts of many alphabets.

import fc from "fast-check";

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
