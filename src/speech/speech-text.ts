// The text that is spoken for a donation: one sentence of what can be said of its texts, with the amount in Thai words.

import type { Currency } from "../base/summed-currency.ts";
import { erasedName, withArabicDigits } from "../base/text.ts";

/** Another language needs its own sentence and its own numerals. */
export type Language = "th";

export type SpokenDonation = { donatorName: string; amount: number; currency: Currency; message: string; language: Language };

/** In UTF-16 units. Speech of a message of this length takes about half a minute. */
const maxNameLength = 60;
const maxMessageLength = 300;

/** Spoken for erased donators, and for names without anything that can be spoken, such as emoji or an address. */
const anonymousName = "ผู้ไม่ประสงค์ออกนาม";

/** One sentence of name, amount in words and message. */
export function speechText({ donatorName, amount, currency, message }: SpokenDonation): string {
  const name = (donatorName !== erasedName && spokenText(donatorName, maxNameLength)) || anonymousName;
  const spokenMessage = spokenText(message, maxMessageLength);
  return `${name} โดเนท${thaiAmount(amount, currency)}${spokenMessage && `, ${spokenMessage}`}`;
}

// Rounds like the page that shows the amount.
const twoDecimals = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false });

/** A unit and its hundredth. A currency of the contract without them does not compile. */
const units: Readonly<Record<Currency, Readonly<{ whole: string; hundredth: string }>>> = { THB: { whole: "บาท", hundredth: "สตางค์" } };

/** An amount above 0 in words, to two decimals: หนึ่งร้อยบาท, ห้าสิบบาทยี่สิบห้าสตางค์. An amount that rounds to 0 is "less than one". */
export function thaiAmount(amount: number, currency: Currency): string {
  const [whole = "0", hundredths = "00"] = twoDecimals.format(amount).split(".");
  const unit = units[currency];
  const words = [whole !== "0" && `${thaiNumber(whole)}${unit.whole}`, hundredths !== "00" && `${thaiNumber(hundredths)}${unit.hundredth}`];
  return words.filter(Boolean).join("") || `ไม่ถึงหนึ่ง${unit.hundredth}`;
}

const digits = ["ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"];
const places = ["", "สิบ", "ร้อย", "พัน", "หมื่น", "แสน"];

/** A whole number, written in decimal digits, in words: "21" is ยี่สิบเอ็ด. */
export function thaiNumber(decimal: string): string {
  const written = decimal.replace(/^0+(?=.)/, "");
  if (written === "0") return thaiDigits(written);
  // Millions are counted like everything else: ยี่สิบเอ็ดล้าน, ล้านล้าน.
  const millions = written.slice(0, -places.length);
  const spoken = [...written.slice(-places.length)].map((digit, i, rest) => wordAt(Number(digit), rest.length - 1 - i));
  const words = (millions && `${thaiNumber(millions)}ล้าน`) + spoken.join("");
  return written.length > 1 && written.endsWith("1") ? words.replace(/หนึ่ง$/, "เอ็ด") : words;
}

/** Digits one by one, as behind a decimal point: "05" is ศูนย์ห้า. */
export function thaiDigits(decimal: string): string {
  return [...decimal].map((digit) => digits[Number(digit)]).join("");
}

function wordAt(digit: number, place: number): string {
  if (digit === 0) return "";
  if (place === 1 && digit === 1) return "สิบ";
  if (place === 1 && digit === 2) return "ยี่สิบ";
  return `${digits[digit]}${places[place]}`;
}

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
