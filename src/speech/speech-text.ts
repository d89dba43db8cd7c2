// The text that is spoken for a donation: one sentence, with the amount in Thai words.

import { erasedName } from "../base/text.ts";
import type { Currency } from "../http/summed-currency.ts";
import { spokenText } from "./spoken-text.ts";

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
