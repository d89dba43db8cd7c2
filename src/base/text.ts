// Texts as they are compared, typed, shown and sent: folding, digits, what may stand on the screen, JSON of one line.

/**
 * Letters of ASCII and Thai whose folding needs no tables: only ASCII has case, and only ำ is taken apart. Left out are pairs of Thai marks that
 * NFKC would put into another order, and the circle alone, which `foldPart` moves.
 */
const plain =
  /^(?:[\0-\x7f\u0e01-\u0e37\u0e3a\u0e3f-\u0e47\u0e4c\u0e4e-\u0e5b]|[\u0e38\u0e39](?!\u0e3a)|[\u0e48-\u0e4b](?![\u0e38-\u0e3a]))*$/;

/**
 * Folds a text, so that texts that people read as the same are equal: donator keys, blocked words and searches compare folded texts. It is NFKC
 * and case-folded, independent of the version of the database: ß, SS and ss become equal. So do ำ and its two-letter spelling, because NFKC
 * takes ำ apart.
 */
export function foldText(text: string): string {
  return plain.test(text) ? foldPlain(text) : foldAny(text);
}

/** A third of the time: a search folds hundreds of texts. */
const foldPlain = (text: string): string => text.toLowerCase().replaceAll("ำ", "\u0e4d\u0e32");

function foldAny(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");
}

/**
 * The same for a text that is looked for inside others, or in which others are looked for. A final sigma becomes a sigma, because it may end a
 * part of a word. The circle of ำ comes after the tone mark, where NFKC puts it: people who type its two letters type it before. Donator
 * keys are stored, so they keep both apart.
 */
export function foldPart(text: string): string {
  if (plain.test(text)) return foldPlain(text);
  return foldAny(text)
    .replaceAll("ς", "σ")
    .replace(/\u0e4d([\u0e48-\u0e4b])\u0e32/g, "$1\u0e4d\u0e32");
}

/** The text with Arabic digits instead of Thai ones: `๕๐` → `50`. */
export function withArabicDigits(text: string): string {
  return text.replace(/[๐-๙]/g, (digit) => String(digit.charCodeAt(0) - 0x0e50));
}

/**
 * The value as JSON in one line, also for readers that split at U+0085, U+2028 and U+2029, as Python's splitlines does. JSON itself escapes
 * the other ends of lines.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The name of an erased donator in answers. Pages show and speech says that the donator is anonymous, in their language. */
export const erasedName = "(erased)";

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

/**
 * One line of text for the screen, without characters that could reverse, hide or overlap other text; empty if it has no visible character.
 * Markup needs no cleaning, because text is put on the page as text only.
 */
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
