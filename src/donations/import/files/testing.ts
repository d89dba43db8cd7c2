// Rows of files for tests of this folder.

import { decideReading, type FileReading, type ReadingOptions } from "./reading.ts";
import { type Cell, noChoices, type TableReading, type TableRow } from "./table.ts";
import { type FileDonation, rowConverter } from "./to-donations.ts";

type Cells = readonly (Cell | undefined)[];

const tableReading: TableReading = { encoding: null, separator: null, sheets: [], sheet: null, date1904: false, questions: [] };

/** The rows of a text whose lines have cells between bars. */
export function table(...lines: readonly string[]): Cells[] {
  return lines.map((line) => line.split("|").map((cell) => (cell === "" ? undefined : cell)));
}

/** How rows, title rows and header included, are read. */
export async function readingOf(
  rows: readonly Cells[],
  changes: Partial<ReadingOptions & { date1904: boolean; formats: readonly string[] }> = {},
): Promise<FileReading> {
  const { date1904 = false, ...options } = changes;
  async function* numbered() {
    for (const [index, cells] of rows.entries()) yield { number: index + 1, sheet: 1, cells };
  }
  return decideReading(
    { reading: { ...tableReading, date1904 }, rows: numbered() },
    { timezone: "Asia/Bangkok", columns: new Map(), choices: noChoices, ...options },
  );
}

/** The donations in rows as an import has them; with `formats` of their cells. */
export async function donationsIn(rows: readonly Cells[], changes: Parameters<typeof readingOf>[1] = {}): Promise<FileDonation[]> {
  const reading = await readingOf(rows, changes);
  const convert = rowConverter(reading, changes.choices ?? noChoices);
  const toRow = (cells: Cells, index: number): TableRow => ({ number: index + 2, sheet: 1, cells, formats: changes.formats });
  return rows.slice(reading.rowsBefore + 1).map((cells, index) => convert(toRow(cells, index)));
}
