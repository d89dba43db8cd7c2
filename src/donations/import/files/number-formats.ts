// What a spreadsheet shows of a workbook's positive number under a number format (ECMA-376, 18.8.31). Pure.

import { readAmount } from "./amounts.ts";

/** A piece of a format: a text that stands beside the digits, or the places of digits, `#,##0.00`. */
type Part = Readonly<{ text: string; isDigits: boolean }>;

/** Excel's limit. */
const maxFormat = 255;

/** `dd/mm/yyyy h:mm`, without what is quoted, in brackets or escaped. */
export function isDateFormat(format: string): boolean {
  return /[dmyhs]/i.test(format.replace(/"[^"]*"|\[[^\]]*\]|\\./g, "").replace(/general/i, ""));
}

/** Whether a number looks like itself, with or without baht: not `1.5K` or `1.5 coins` of 1.5, `1.5` of 1500, `(5)` of 5, or nothing. */
export function showsAmount(format: string): boolean {
  const parts = partsOf(format);
  if (parts === null || parts.some(({ text, isDigits }) => isDigits && text.endsWith(","))) return false;
  const shown = readAmount(parts.map(({ text, isDigits }) => (isDigits ? `1${text.endsWith(".") ? "." : ""}` : text)).join(""));
  return shown !== null && (shown.point === 1 || shown.comma === 1);
}

/** A number as a text, `081-234-5678` of 812345678 under `0##-###-####`. Null under a format that shows other digits than the number has. */
export function shownText(number: number, format: string): string | null {
  const isWhole = Number.isInteger(number);
  if (/^(?:general|@)?$/i.test(format) || (isWhole && /^[0#]$/.test(format))) return String(number);
  const parts = partsOf(format);
  if (!isWhole || number < 0 || !parts?.some(({ isDigits }) => isDigits)) return null;
  if (parts.some(({ text, isDigits }) => isDigits && !/^[0#]+$/.test(text))) return null;
  return fillPlaces(parts, number === 0 ? "" : String(number));
}

/** The last place takes the last digit, and the first places take those that are left. */
function fillPlaces(parts: readonly Part[], digits: string): string {
  const first = parts.findIndex(({ isDigits }) => isDigits);
  let left = digits;
  return parts.reduceRight((shown, { text, isDigits }, index) => {
    if (!isDigits) return text + shown;
    const taken = index === first ? left : left.slice(-text.length);
    left = left.slice(0, left.length - taken.length);
    return taken.padStart(text.includes("0") ? text.length - text.indexOf("0") : 0, "0") + shown;
  }, "");
}

/** A quoted or escaped text, a currency, another bracket, room of a letter's width, the places of digits, and a letter that stands for itself. */
const pieces = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]|[_*].|(general|@|[0#?](?:[0#?,./ ]*[0#?,.])?(?:e[+-]0+)?)|(;)|(.)/gis;

/** The parts of the section for positive numbers. Null for a percentage, and where a condition chooses among sections. */
function partsOf(format: string): Part[] | null {
  if (format.length > maxFormat || /%|\[[<>=]/.test(format)) return null;
  const parts: Part[] = [];
  for (const [, quoted, escaped, currency, digits, end, letter] of format.matchAll(pieces)) {
    if (end !== undefined) break;
    if (digits !== undefined) parts.push({ text: digits, isDigits: true });
    else if (!/^t$/i.test(letter ?? "")) parts.push({ text: quoted ?? escaped ?? currency ?? letter ?? "", isDigits: false }); // `t0`: Thai digits
  }
  return parts;
}
