// What pages show of amounts, dates and texts, without the DOM: Thai format with Arabic digits and no ".00", the template of an alert in pieces,
// and words that stay in one line.

import type { Currency } from "../../base/summed-currency.ts";

const locale = "th-TH-u-nu-latn";
/** The smallest amount that is shown exactly. A currency of the contract without an entry does not compile. */
const smallestShown: Readonly<Record<Currency, number>> = { THB: 0.01 };

/** `฿1,234.50`, `฿100`; an amount that would be rounded to zero is `< ฿0.01`. */
export function formatMoney(amount: number, currency: Currency): string {
  const minimum = smallestShown[currency];
  if (amount > 0 && amount < minimum) return `< ${format(minimum, currency)}`;
  return format(amount, currency);
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** A local day, `2026-12-31`, without its year: `31 ธ.ค.`, in English `31 Dec`. */
export function formatDay(day: string, language: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : locale, { day: "numeric", month: "short", timeZone: "UTC" }).format(date);
}

/** A part of a whole in percent, rounded down, so that 100% means reached. */
export function formatPercent(part: number, whole: number): string {
  return `${formatCount(Math.floor(whole > 0 ? (part / whole) * 100 : 0))}%`;
}

function format(amount: number, currency: Currency): string {
  const rounded = Math.round(amount * 100) / 100;
  const digits = Number.isInteger(rounded) ? 0 : 2;
  const digitsShown = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { style: "currency", currency, ...digitsShown }).format(rounded);
}

export type Piece = Readonly<{ kind: "text" | "name" | "amount"; text: string }>;

type Templated = Readonly<{
  /** What stands above the message. */
  head: readonly Piece[];
  /** Whether the message is shown. */
  hasMessage: boolean;
  /** What stands below the message. */
  tail: readonly Piece[];
}>;

/** Donators' texts are put in after the template was split, so that a name `{message}` stays a name. A second `{message}` is left out. */
export function fillTemplate(template: string, values: Readonly<{ name: string; amount: string }>): Templated {
  const [head = "", ...rest] = template.split("{message}");
  return { head: piecesOf(head, values), hasMessage: rest.length > 0, tail: piecesOf(rest.join(""), values) };
}

function piecesOf(text: string, { name, amount }: Readonly<{ name: string; amount: string }>): Piece[] {
  return text
    .trim()
    .split(/(\{name\}|\{amount\})/)
    .filter((piece) => piece !== "")
    .map((piece): Piece => {
      if (piece === "{name}") return { kind: "name", text: name };
      return piece === "{amount}" ? { kind: "amount", text: amount } : { kind: "text", text: piece };
    });
}

/**
 * Thai words that browsers would break in two, because the dictionary of ICU lacks them: loanwords of streams and games. The longest first, so
 * that `สตรีมเมอร์` is not `สตรีม` with something behind it.
 */
const words = [
  ...["สตรีมเมอร์", "สตรีมมิ่ง", "สตรีม(?!หา|เหสี)", "โดเนท", "โดเนต", "คอมเมนต์", "ซับสไครบ์", "แอดมิน", "มอดเดอเรเตอร์", "แชทบอท"],
  ...["ซูเปอร์แชต", "ซุปเปอร์แชท", "เมมเบอร์ชิป", "สติกเกอร์", "อิโมจิ", "วิดเจ็ต", "โอเวอร์เลย์", "คอนเทนต์", "คอนเท้นต์", "สตูดิโอ"],
  ...["ทวิตช์", "ยูทูบเบอร์", "ยูทูบ", "ยูทูป", "วีทูบเบอร์", "วีทูปเบอร์", "ติ๊กต็อก", "ติ๊กตอก", "เฟซบุ๊ก", "ดิสคอร์ด", "กูเกิล", "โซเชียล", "แฮชแท็ก", "รีทวีต"],
  ...["เกมเมอร์", "โปรเพลเยอร์", "แคสเตอร์", "แคสเกม", "แคสต์", "อีสปอร์ต", "ทัวร์นาเมนต์", "แรงค์", "แรงก์", "ไอเทม", "เอเนมี่", "รีแอค", "ออฟไลน์"],
  ...["วาโลแรนต์", "ไมน์คราฟต์", "มายคราฟ", "โรบล็อกซ์", "ฟีฟาย", "เก็นชิน", "เกนชิน", "คอสเพลย์", "อนิเมะ", "มังงะ", "โรแมนติก", "เฮดเซ็ต"],
];

/** No word begins behind a vowel that belongs to its first letter, or ends before a mark on its last: `สตรีมาก` has no `สตรีม`. */
const word = new RegExp(`(?<![เ-ไ])(${words.join("|")})(?![ะ-ฺๅ็-๎])`, "u");

/** The text in pieces: those at odd places are words that must stay in one line. */
export function splitWords(text: string): readonly string[] {
  return text.split(word);
}

/** Whether a line may break between a word of the list and this text beside it: only another Thai word can follow or precede it directly. */
export const mayBreakBefore = (text: string): boolean => /^[ก-ฮเ-ไ]/.test(text);
export const mayBreakAfter = (text: string): boolean => /[ก-ฺเ-ๅ็-๎]$/.test(text);
