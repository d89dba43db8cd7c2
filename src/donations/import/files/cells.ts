// Converts cells into the values that the contract takes, or says why a cell has none. Pure.

import { formatCurrency, readAmount, type WrittenAmount } from "./amounts.ts";
import type { FileMember } from "./columns.ts";
import type { FileReading } from "./reading.ts";
import type { Cell, TableRow } from "./table.ts";

/** The value, undefined for an empty cell; with a fault, the cell as it is. */
export type Found<Value> = Readonly<{ value: Value | undefined } | { value: Value | undefined; fault: string }>;

const shownCharacters = 40;

/** `amount “5o” must be a number` */
export function quoteFault(member: string, cell: unknown, rule: string): string {
  const quoted = cell === undefined || cell === "" ? "" : ` “${String(cell).slice(0, shownCharacters)}”`;
  return `${member}${quoted} ${rule}`;
}

/** The amount of a row, in baht. */
export function amountIn({ cells, formats }: TableRow, { columns, decimal }: FileReading): Found<Cell> {
  const place = columns.places.amount ?? -1;
  const [cell, format = ""] = [cells[place], formats?.[place]];
  if (cell === undefined) return { value: undefined };
  const fail = (rule: string) => ({ value: cell, fault: quoteFault("amount", cell, rule) });
  const foreign = (currency: string) => fail(`is in ${currency}, and only baht is recorded`);
  const written = typeof cell === "number" ? ofNumber(columns.isOwn ? cell : shownNumber(cell), format) : readAmount(cell);
  if (!written || (typeof cell === "number" && (isDateFormat(format) || format.includes("%")))) return fail("must be a number");
  const currency = written.currency ?? columns.currency;
  if (currency !== null) return foreign(currency);
  if (written.point === written.comma) return written.point === null ? fail("must be a number") : { value: written.point };
  if (decimal === null) return fail(readings(written));
  const amount = written[decimal];
  return amount === null ? fail(`must be a number with a decimal ${decimal}`) : { value: amount };
}

function ofNumber(amount: number, format: string): WrittenAmount {
  return { point: amount, comma: amount, currency: formatCurrency(format) };
}

/** With the 15 digits that a spreadsheet shows: the sum of 1.1, 1.1 and 1.1 is stored as 3.3000000000000003. */
function shownNumber(number: number): number {
  return Number(number.toPrecision(15));
}

function readings({ point, comma }: WrittenAmount): string {
  if (point === null || comma === null) return "must be a number with the decimal sign that is chosen";
  return `is ${point} with a decimal point and ${comma} with a decimal comma, one of which must be chosen`;
}

/** Longer than any text of a donation may be: the rest of a longer one is left out, and the row is refused all the same. */
const maxText = 1_000;
/** A double has more digits, but Excel keeps fifteen. */
const maxWhole = 1e15;

/** A text of a row. A number must have all its digits, as its author sees them. */
export function textIn({ cells, formats }: TableRow, place: number | undefined, member: FileMember): Found<string> {
  const [cell, format = ""] = [cells[place ?? -1], formats?.[place ?? -1]];
  if (cell === undefined) return { value: undefined };
  const fail = (rule: string) => ({ value: String(cell).slice(0, maxText), fault: quoteFault(member, cell, rule) });
  if (typeof cell === "string")
    return isShortened(cell, member) ? fail("must be a number with all its digits") : { value: cell.slice(0, maxText) };
  if (isDateFormat(format)) return fail("is a date in the workbook and must be a text");
  if (Math.abs(cell) >= maxWhole || String(cell).includes("e")) return fail("must be a number with all its digits");
  return { value: /^0+$/.test(format) ? String(cell).padStart(format.length, "0") : String(cell) };
}

/** `1.5E+17`, as a spreadsheet shows a long number. */
function isShortened(text: string, member: FileMember): boolean {
  return (member === "identifier" || member === "idempotencyKey") && /^\d(?:[.,]\d+)?E\+?\d+$/i.test(text.trim());
}

/** A currency in the words of the contract where it is baht, else as it stands there, so that the contract names it. */
export function codeIn({ cells }: TableRow, place: number | undefined): Found<string> {
  const cell = cells[place ?? -1];
  if (cell === undefined) return { value: undefined };
  const text = String(cell).trim().slice(0, maxText);
  return { value: /^(?:฿|thb|baht|บาท|thai baht)$/i.test(text) ? "THB" : text };
}

/** `dd/mm/yyyy h:mm`, without what is quoted, in brackets or escaped. */
export function isDateFormat(format: string): boolean {
  return /[dmyhs]/i.test(format.replace(/"[^"]*"|\[[^\]]*\]|\\./g, "").replace(/general/i, ""));
}
