// The rows of a file as they are read, before anybody knows what their columns mean.

/** A cell: a text, or a number of a workbook. An empty cell is absent. */
export type Cell = string | number;

/** `number`: of the row in its file, as a spreadsheet or an editor counts it, from 1. `sheet`: 1 for a file without sheets. */
export type TableRow = Readonly<{ number: number; sheet: number; cells: readonly (Cell | undefined)[] }>;

/** The first row is the header. Reading is as fast as rows are asked for. */
export type Table = AsyncIterable<TableRow>;
