// The letters of a cell that holds a number, a time or a zone, written in one way. Pure.

import { withArabicDigits } from "../../../base/text.ts";

/**
 * In lower case, with Arabic digits, ASCII instead of full-width letters, one kind of minus and of space, and without marks of direction. Not
 * NFKC, which makes `10²` of 102.
 */
export function plainText(typed: string): string {
  return withArabicDigits(typed)
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
