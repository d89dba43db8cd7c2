// The rows of a file as they are read, before anybody knows what their columns mean, and what a person may say of them.

import { withArabicDigits } from "../../../base/text.ts";

/** Names as TextDecoder takes them. */
export const encodings = ["utf-8", "utf-16le", "utf-16be", "windows-874", "windows-1252"] as const;
export type Encoding = (typeof encodings)[number];

export const separators = [",", ";", "\t", "|"] as const;
export type Separator = (typeof separators)[number];

/** The year first: with two digits, `26/11/20`. Dates whose year has four and comes first have one reading. */
export const dateOrders = ["day-first", "month-first", "year-first"] as const;
export type DateOrder = (typeof dateOrders)[number];

/** Null: as the file shows it. `withUnpaid`: rows whose status says that they were not paid are recorded too. */
export type FileChoices = Readonly<{
  encoding: Encoding | null;
  separator: Separator | null;
  sheet: string | null;
  dateOrder: DateOrder | null;
  decimal: "point" | "comma" | null;
  withUnpaid: boolean;
}>;

export const noChoices: FileChoices = {
  encoding: null,
  separator: null,
  sheet: null,
  dateOrder: null,
  decimal: null,
  withUnpaid: false,
};

/** A cell: a text, or a number of a workbook. An empty cell is absent. */
export type Cell = string | number;

/**
 * `number`: of the row in its file, as a spreadsheet or an editor counts it, from 1. `sheet`: 1 for a file without sheets. `formats`: the number
 * formats of a workbook's numbers, as Excel writes them (`"$"#,##0.00`, `dd/mm/yyyy`); absent for a text and for a number without one.
 * `sums`: the places of numbers that a formula makes of several rows. `isHidden`: the row is hidden in its workbook, by a filter or by hand.
 * `hiddenColumns`: the first and the last place of each group of columns that are.
 */
export type TableRow = Readonly<{
  number: number;
  sheet: number;
  cells: readonly (Cell | undefined)[];
  formats?: readonly (string | undefined)[];
  sums?: readonly number[];
  isHidden?: boolean;
  hiddenColumns?: readonly (readonly [first: number, last: number])[];
}>;

/** How a file was read: shown to the person, who can choose otherwise. */
export type TableReading = Readonly<{
  /** Null for a workbook. */
  encoding: Encoding | null;
  separator: Separator | null;
  /** In the order of the tabs; none for a file without sheets. */
  sheets: readonly Readonly<{ name: string; isHidden: boolean }>[];
  /** The sheet whose rows are read: the first of them, where the rows of several are read as one. */
  sheet: string | null;
  /** The workbook counts days from 1904. */
  date1904: boolean;
  /** What only the person can say. Several sheets could be meant: the rows are those of the first one. */
  questions: readonly "sheet"[];
}>;

/** Rows that are not empty, the header among them. Reading is as fast as rows are asked for. */
export type TableRows = AsyncIterable<TableRow>;

/** The file stays open until `rows` was read to its end or left (`break`, `return`). */
export type Table = Readonly<{ reading: TableReading; rows: TableRows }>;

/**
 * In lower case, with Arabic digits, ASCII instead of full-width letters, one kind of minus and of space, and without letters that nobody sees,
 * such as marks of direction. Not NFKC, which makes `10²` of 102.
 */
export function plainText(typed: string): string {
  return withArabicDigits(typed)
    .replace(/[！-～]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replace(/\p{Cf}/gu, "")
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
}
