// Amounts as they stand on screen: Thai format, Arabic digits, no ".00".

import type { Currency } from "../../http/summed-currency.ts";

const locale = "th-TH-u-nu-latn";
/** What is shown at least. A currency of the contract without an entry does not compile. */
const smallest: Readonly<Record<Currency, number>> = { THB: 0.01 };

/** `฿1,234.50`, `฿100`; what would read as nothing becomes `< ฿0.01`. */
export function formatMoney(amount: number, currency: Currency): string {
  const least = smallest[currency];
  if (amount > 0 && amount < least) return `< ${format(least, currency)}`;
  return format(amount, currency);
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** A part of a whole in whole percent, rounded down: 100% means reached. */
export function formatPercent(part: number, whole: number): string {
  return `${formatCount(Math.floor(whole > 0 ? (part / whole) * 100 : 0))}%`;
}

function format(amount: number, currency: Currency): string {
  const rounded = Math.round(amount * 100) / 100;
  const digits = Number.isInteger(rounded) ? 0 : 2;
  const digitsShown = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { style: "currency", currency, ...digitsShown }).format(rounded);
}
