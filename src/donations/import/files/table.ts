// The rows of a file as they are read, before anybody knows what their columns mean.

import type { Encoding, Separator } from "./choices.ts";

/** A cell: a text, or a number of a workbook. An empty cell is absent. */
export type Cell = string | number;

/**
 * `number`: of the row in its file, as a spreadsheet or an editor counts it, from 1. `sheet`: 1 for a file without sheets. `formats`: the number
 * formats of a workbook's numbers, as Excel writes them (`"$"#,##0.00`, `dd/mm/yyyy`); absent for a text and for a number without one.
 */
export type TableRow = Readonly<{
  number: number;
  sheet: number;
  cells: readonly (Cell | undefined)[];
  formats?: readonly (string | undefined)[];
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
