// Formats amounts and numbers for the screen: Thai format, Arabic digits, no ".00".

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
