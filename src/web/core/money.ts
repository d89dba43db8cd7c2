// Amounts as they stand on screen: Thai format, Arabic digits, no ".00".

const locale = "th-TH-u-nu-latn";
const smallest = 0.01;

/** `฿1,234.50`, `฿100`; what would read as nothing becomes `< ฿0.01`. */
export function formatMoney(amount: number, currency: string): string {
  if (amount > 0 && amount < smallest) return `< ${format(smallest, currency)}`;
  return format(amount, currency);
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(locale).format(count);
}

/** A part of a whole in whole percent, rounded down: 100% means reached. */
export function formatPercent(part: number, whole: number): string {
  return `${formatCount(Math.floor(whole > 0 ? (part / whole) * 100 : 0))}%`;
}

function format(amount: number, currency: string): string {
  const rounded = Math.round(amount * 100) / 100;
  const digits = Number.isInteger(rounded) ? 0 : 2;
  try {
    return new Intl.NumberFormat(locale, {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(rounded);
  } catch {
    return `${formatCount(rounded)} ${currency}`; // a currency that the browser doesn't know
  }
}
