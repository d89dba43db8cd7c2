// Which sheet of a workbook is meant: by the rows that it begins with. Pure.

import { guessColumns } from "./columns.ts";
import type { SheetHead } from "./read-workbook.ts";
import type { TableRow } from "./table.ts";

/** A sheet, its place among the tabs, and what the columns that its header names are. */
type Candidate = Readonly<{ sheet: SheetHead; place: number; members: ReadonlySet<string>; isOwn: boolean }>;

/**
 * The places of the sheets to read. `isQuestion`: several could be meant, or all are hidden, and the first of them is there to be shown. There are more than one
 * where an export of ours had too many rows for one sheet. Throws an Error for a name that no sheet has.
 */
export function chooseSheets(
  sheets: readonly SheetHead[],
  name: string | null,
): Readonly<{ places: readonly number[]; isQuestion: boolean }> {
  if (name !== null) return { places: [placeOf(sheets, name)], isQuestion: false };
  const visible = sheets.map(candidate).filter(({ sheet }) => !sheet.isHidden);
  const [first = visible[0], ...others] = likely(visible.filter(({ sheet }) => sheet.rows.length > 1));
  if (first === undefined) return { places: [0], isQuestion: true }; // all are hidden
  const isOneList = first.isOwn && others.every(({ sheet }) => headerText(sheet) === headerText(first.sheet));
  return isOneList
    ? { places: [first, ...others].map(({ place }) => place), isQuestion: false }
    : { places: [first.place], isQuestion: others.length > 0 };
}

function placeOf(sheets: readonly SheetHead[], name: string): number {
  const place = sheets.findIndex((sheet) => sheet.name === name);
  if (place >= 0) return place;
  throw new Error(`the workbook has no sheet "${name}"; there are ${sheets.map((sheet) => `"${sheet.name}"`).join(", ")}`);
}

/** Sheets with columns for a name and an amount, and for a time if the first of them has one: notes and sums beside a list are not meant. */
function likely(candidates: readonly Candidate[]): readonly Candidate[] {
  const lists = candidates.filter(({ members }) => members.has("donatorName") && members.has("amount"));
  const isTimed = lists[0]?.members.has("createdAt");
  return lists.length === 0 ? candidates : lists.filter(({ members }) => !isTimed || members.has("createdAt"));
}

/** The header is the row that names most columns. */
function candidate(sheet: SheetHead, place: number): Candidate {
  const headers = sheet.rows.map(headerOf);
  const best = headers.reduce((most, one) => (one.members.size > most.members.size ? one : most), noHeader);
  return { sheet, place, ...best };
}

function headerOf({ cells }: TableRow): Pick<Candidate, "members" | "isOwn"> {
  if (cells.length > maxColumns) return noHeader;
  const { places, isOwn } = guessColumns(cells);
  return { members: new Set(Object.keys(places)), isOwn };
}

const noHeader = { members: new Set<string>(), isOwn: false };
/** A list of donations has fewer. */
const maxColumns = 200;

function headerText({ rows }: SheetHead): string {
  return JSON.stringify(rows[0]?.cells);
}
