// Shows what is in a file before it is imported: its columns, what they mean by their names, and the first rows.

import { noChoices } from "./choices.ts";
import { type FileMember, fileMembers, guessColumns, type Places, titlesOf } from "./columns.ts";
import { openTable } from "./open-table.ts";
import type { TableRow } from "./table.ts";

/** `member`: what the column means by its name; null when it is not known. */
export type PreviewColumn = Readonly<{ title: string; member: FileMember | null }>;

export type Preview = Readonly<{ columns: readonly PreviewColumn[]; rows: readonly (readonly string[])[]; places: Readonly<Places> }>;

const shownRows = 5;
const shownLetters = 60;

/** Null for a file without columns. Throws what reading the file throws. */
export async function previewFile(file: string, maxInflatedBytes: number): Promise<Preview | null> {
  const table = await openTable(file, noChoices, { maxInflatedBytes });
  if (!table) return null;
  const first: TableRow[] = [];
  for await (const row of table.rows) if (first.push(row) > shownRows) break;
  const [header, ...rows] = first;
  if (!header) throw new Error("the file is empty");
  const titles = titlesOf(header.cells);
  const { places } = guessColumns(header.cells);
  return {
    columns: titles.map((title, place) => ({ title, member: fileMembers.find((member) => places[member] === place) ?? null })),
    rows: rows.map(({ cells }) => titles.map((_, place) => shorten(String(cells[place] ?? "")))),
    places,
  };
}

function shorten(text: string): string {
  const letters = [...text];
  return letters.length > shownLetters ? `${letters.slice(0, shownLetters).join("")}…` : text;
}
