// Finds the titles of a file's columns among its first rows. Pure.

import { guessColumns, type Header, maxColumns, missingMembers, titlesOf } from "./columns.ts";
import type { Cell, TableRow } from "./table.ts";

/** Rows in front of the table, such as the name of a bank and of an account. */
export const maxTitleRows = 20;

/** `rowsBefore`: rows that stand in front of the last one with titles. */
type FoundHeader = Readonly<{ titles: Header; rowsBefore: number }>;

/**
 * The first row whose names are known as those of a donation's name and amount, or the one below it that has as many of them; else the row with
 * most known names; else the first one of several texts; else the first row. `chosen`: titles that the caller has named. A row with figures comes last.
 */
export function findHeader(rows: readonly TableRow[], chosen: readonly string[]): FoundHeader {
  const headers = rows.map((row, at) => headerAt(row, rows[at + 1], at));
  const known = headers.filter(({ titles }) => isKnown(titles, chosen));
  const first = known.find(({ titles }) => !titles.some(isFigure)) ?? known[0];
  const next = known.find((one) => one === headers[headers.indexOf(first ?? one) + 1]);
  if (first && next && knownNames(next) >= knownNames(first)) return next;
  const most = Math.max(2, ...headers.map(knownNames));
  const places = [headers.findIndex((one) => knownNames(one) === most), rows.findIndex(isTexts)];
  return first ?? headers[places.find((at) => at >= 0) ?? 0] ?? { titles: [], rowsBefore: 0 };
}

function isKnown(cells: Header, chosen: readonly string[]): boolean {
  if (cells.length > maxColumns || cells.some((cell) => typeof cell === "number")) return false;
  const titles = titlesOf(cells).map((title) => title.trim());
  const named = chosen.filter((title) => titles.includes(title.trim())).length;
  return named === chosen.length && missingMembers(guessColumns(cells).places).length <= named;
}

function knownNames({ titles }: FoundHeader): number {
  if (titles.length > maxColumns || titles.some((title) => typeof title === "number")) return 0;
  return Object.keys(guessColumns(titles).places).length;
}

function isTexts({ cells }: TableRow): boolean {
  const filled = cells.filter((cell) => cell !== undefined);
  return filled.length > 1 && !filled.some(isFigure);
}

/** A number or a date, as in `ชื่อ | น้ำใจ | ยอด | 5,000` above a table. */
export function isFigure(cell: Cell | undefined): boolean {
  return typeof cell === "number" || /^[\p{Sc}\d\s.,:/-]+$/u.test(cell ?? "");
}

function headerAt({ cells }: TableRow, below: TableRow | undefined, rowsBefore: number): FoundHeader {
  if (!below || cells.length > maxColumns || !isFurtherHeader(cells, below.cells)) return { titles: cells, rowsBefore };
  return { titles: joinTitles(cells, below.cells), rowsBefore: rowsBefore + 1 };
}

/** Below titles for a name and an amount: the amount's are further ones, or one stands below a cell that is merged over several columns. */
function isFurtherHeader(above: Header, below: Header): boolean {
  const { places } = guessColumns(above);
  if (missingMembers(places).length > 0) return false;
  const filled = below.filter((cell) => cell !== undefined);
  const isTitle = (cell: Cell) => typeof cell === "string" && /\p{L}/u.test(cell) && !/\p{N}/u.test(cell);
  const [name, amount] = [below[places.donatorName ?? -1], below[places.amount ?? -1]];
  const isMerged = below.some((cell, place) => cell !== undefined && above[place] === undefined);
  return (
    filled.length > 1 && filled.every(isTitle) && (name === undefined ? amount !== undefined || isMerged : amount === undefined && isMerged)
  );
}

/** `ถอน` and `ฝาก` below `จำนวนเงิน` → `จำนวนเงิน (ถอน)` and `จำนวนเงิน (ฝาก)` */
function joinTitles(above: Header, below: Header): Header {
  let over: Cell | undefined;
  return Array.from({ length: Math.max(above.length, below.length) }, (_, place) => {
    const [top, title] = [above[place], below[place]];
    over = title === undefined ? undefined : (top ?? over);
    if (title === undefined) return top;
    return over === undefined ? title : `${over} (${title})`;
  });
}
