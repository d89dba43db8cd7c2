// Builds texts whose length is decided in the run's unit of lengths. In code points the texts are used as they are.

import { type LengthUnit, target } from "./target.ts";

const filler = "a";

/** The text with a letter for each blank at its ends: the interface does not say whether a server counts these. */
const withoutBlankEnds = (text: string): string => text.replace(/^\s+|\s+$/gu, (blanks) => filler.repeat(blanks.length));

/** The longest beginning of the text that a sound server counts as at most `max` characters, filled up to `max` where that is possible. */
export function fitting(text: string, max: number, unit = lengthUnit()): string {
  const letters = lettersOf(text, unit === "graphemes");
  const fits = (count: number): boolean => most(letters.slice(0, count).join(""), unit) <= max;
  let fitted = letters.slice(0, largest(letters.length, fits)).join("");
  if (fitted.length < text.length && most(fitted + filler, unit) <= max) fitted += filler;
  return withoutBlankEnds(fitted);
}

/** The text, changed where a sound server might count at most `max` characters in it; the text has more than `max` code points. */
export function exceeding(text: string, max: number, unit = lengthUnit()): string {
  const solid = withoutBlankEnds(text);
  return fewest(solid, unit) > max ? solid : lettersOf(solid, true).join("");
}

/** The longest of the texts from `text(1)` on that a sound server counts as at most `max` characters. */
export const longestFitting = (text: (count: number) => string, max: number, unit = lengthUnit()): string =>
  text(largest(longestCluster * max, (count) => most(text(count), unit) <= max));

/** The shortest of the texts from `text(1)` on that a sound server counts as more than `max` characters. */
export const shortestExceeding = (text: (count: number) => string, max: number, unit = lengthUnit()): string =>
  text(largest(longestCluster * (max + 1), (count) => fewest(text(count), unit) <= max) + 1);

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
