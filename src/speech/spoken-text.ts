// Prepares donators' texts for speech: removes what an engine would spell out, can't pronounce, or could take for an instruction.

import { withArabicDigits } from "../base/text.ts";

/** Above the bounds of the contract. Longer texts are cut before they are processed. */
const maxReadLength = 1_000;

/** A text for speech, at most `limit` UTF-16 units long; empty if nothing of it can be spoken. */
export function spokenText(written: string, limit: number): string {
  const steps = [withoutPictures, withoutRepeats, withoutLinks, withoutMarkup, withRepeatedWords, withSingleBlanks];
  const text = steps.reduce((text, step) => step(text), truncateAtGrapheme(plainLetters(written), maxReadLength));
  return truncateAtGrapheme(text, limit).trimEnd();
}

/** 𝓗𝓲 and Ｈｉ become Hi; Thai digits become Arabic digits, which every engine knows. */
function plainLetters(text: string): string {
  return withArabicDigits(text.normalize("NFKC")).replace(/\u0e4d([\u0e48-\u0e4b]?)\u0e32/g, "$1\u0e33"); // NFKC takes ำ apart
}

/** Removes emoji and other pictures, control and bidirectional characters, and more than three combining marks in a row. */
function withoutPictures(text: string): string {
  return text
    .replace(/[[\p{C}\p{Emoji_Component}]--[\p{Cc}0-9#*]]/gv, "") // zero-width and bidi characters stand inside words
    .replace(/[\p{Cc}\p{Extended_Pictographic}\p{So}\p{Sk}]/gu, " ")
    .replace(/(\p{M}{3})\p{M}+/gu, "$1");
}

/**
 * Shortens more than three repetitions to three. Of numbers, it shortens only laughter (5 is "ha") and numbers that are longer than any
 * price: 1000000 stays a million.
 */
function withoutRepeats(text: string): string {
  return text
    .replace(/(?<![0-9])5{4,}(?![0-9])/g, "555")
    .replace(/([0-9])\1{9,}/g, "$1$1$1")
    .replace(/([^0-9]{1,12}?)\1{3,}/gu, "$1$1$1");
}

// Web and e-mail addresses. A dot alone is no link, because "Mr.Somchai" is a name: a well-known ending or a path must follow.
const ending = "(?:com|net|org|info|io|co|th|tv|gg|app|dev|xyz)(?![a-z0-9])(?:[:/?#][!-~]*)?|[a-z]{2,}/[!-~]*";
const links = new RegExp(`[a-z][a-z0-9+.-]*:/[!-~]*|www\\.[!-~]*|(?:[\\w.+-]*@)?(?:[a-z0-9-]+\\.)+(?:${ending})`, "gi");

function withoutLinks(text: string): string {
  return text.replace(links, " ");
}

/** Removes characters that an engine could take for a tag, a phoneme or an escape. */
function withoutMarkup(text: string): string {
  return text.replace(/[<>[\]{}|\\~_=]/g, " ");
}

/** Limits the text that is segmented: no word is longer. */
const maxWordLength = 100;

const words = new Intl.Segmenter("th", { granularity: "word" });

/** Replaces ๆ by the word before it, which it repeats. */
function withRepeatedWords(text: string): string {
  const [head = "", ...rest] = text.split(/\s*ๆ/);
  return rest.reduce((spoken, next) => spoken + repeatWord(lastWord(spoken)) + next, head);
}

function lastWord(text: string): string {
  const last = [...words.segment(text.slice(-maxWordLength))].at(-1);
  return last?.isWordLike ? last.segment : "";
}

/** Thai is written without blanks between words. */
function repeatWord(word: string): string {
  return /\p{Script=Thai}/u.test(word) ? word : ` ${word}`;
}

function withSingleBlanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const graphemes = new Intl.Segmenter("th", { granularity: "grapheme" });

function truncateAtGrapheme(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const next = graphemes.segment(text).containing(limit);
  return text.slice(0, next?.index ?? 0);
}
