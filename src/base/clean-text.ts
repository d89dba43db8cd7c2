// Cleans text of donators for the screen: removes characters that could reverse, hide or overlap other text. Markup needs no cleaning,
// because text is put on the page as text only.

/** Far above the bounds of the contract. */
const maxLength = 1_000;
/** A Thai consonant has up to two, Arabic and Hebrew letters have up to three. */
const marksPerLetter = 3;

/** Direction overrides, isolates and marks: U+061C, U+200E–200F, U+202A–202E, U+2066–2069. */
const directions = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/** Control characters that are not blanks. */
const controls = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]/g;
/** Invisible: soft hyphen, word joiner and operators, annotations, Mongolian separator, deprecated formats. */
const invisible = /[\u00AD\u180E\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB]/g;
/** Tag characters: they spell a flag's name after a black flag, and are hidden text anywhere else. */
const tags = /(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]*)[\u{E0000}-\u{E007F}]/gu;
/** Repeated joiners, non-joiners and word breaks have no further effect. */
const joiners = /([\u200B-\u200D])[\u200B-\u200D]+/g;
/** Letters that look blank: a name could consist of them. */
const blanks = /[\u115F\u1160\u2800\u3164\uFFA0]/g;
const joinersBetweenMarks = /(?<=\p{M})[\u200B-\u200D]+(?=\p{M})/gu;
const repeatedMark = /(\p{M})\1+/gu;
const stackedMarks = new RegExp(`(\\p{M}{${marksPerLetter}})\\p{M}+`, "gu");

/** One line of clean text; empty if it has no visible character. */
export function cleanText(text: string): string {
  const plain = [...text.slice(0, 2 * maxLength)]
    .slice(0, maxLength)
    .join("")
    .normalize("NFC")
    .replace(directions, "")
    .replace(controls, "")
    .replace(invisible, "")
    .replace(/\u034F/g, "") // combining grapheme joiner
    .replace(tags, "")
    .replace(blanks, " ")
    .replace(/[\s\u0085]+/g, " ")
    .replace(joiners, "$1")
    .replace(joinersBetweenMarks, "")
    .replace(repeatedMark, "$1")
    .replace(stackedMarks, "$1")
    .trim();
  return /[^\s\u200B-\u200D\p{M}]/u.test(plain) ? plain : "";
}
