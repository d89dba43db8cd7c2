// Shows what is in a file before it is imported: how it is read, what its columns mean, and the first rows as they would be recorded.

import { parseInstant } from "../../../base/instant.ts";
import { zoneOf } from "../../../base/local-days.ts";
import type { CheckItem } from "../outcomes.ts";
import { type FileMember, fileMembers, missingMembers } from "./columns.ts";
import { checkRow } from "./import-file.ts";
import { isDateFormat } from "./number-formats.ts";
import { type FileOptions, placeOf, readFile, rowsOf } from "./open-file.ts";
import type { FileReading } from "./reading.ts";
import type { TableRow } from "./table.ts";
import { localOfSerial } from "./times.ts";
import { type FileDonation, rowConverter } from "./to-donations.ts";

/** `member`: what the column means, by its name or as the person chose; null when it is not known. */
type PreviewColumn = Readonly<{ title: string; member: FileMember | null }>;

/** As it would be recorded. `createdAt`: null in a file without times. `localTime`: the same in the zone of the upload, `2026-11-20 19:30:00`. */
type PreviewDonation = Readonly<{
  donatorName: string;
  amount: number;
  createdAt: string | null;
  localTime: string | null;
  message: string | null;
}>;

/**
 * `cells`: as the file has them, shortened. `donation` is null for a row at fault, and while columns for the name or the amount are missing.
 * `isVoided`, `isUnpaid`: the row is left out.
 */
export type PreviewRow = Readonly<{
  place: string;
  cells: readonly string[];
  donation: PreviewDonation | null;
  isVoided: boolean;
  isUnpaid: boolean;
  faults: readonly string[];
}>;

export type Preview = Readonly<{ reading: FileReading; columns: readonly PreviewColumn[]; rows: readonly PreviewRow[] }>;

const shownRows = 10;
const shownLetters = 60;

/** Null for a file without columns. Throws what reading the file throws. */
export async function previewFile(file: string, options: FileOptions, checkItem: CheckItem): Promise<Preview | null> {
  const reading = await readFile(file, options);
  if (reading === null) return null;
  const { titles, places } = reading.columns;
  const isComplete = missingMembers(places).length === 0;
  const convert = isComplete ? rowConverter(reading, options.choices) : null;
  const rows: PreviewRow[] = [];
  for await (const row of rowsOf(file, options, reading)) {
    const shown = { place: placeOf(row), cells: titles.map((_, place) => shorten(shownCell(row, place, reading))) };
    if (rows.push({ ...shown, ...outcomeOf(row, convert, options.timezone, checkItem) }) === shownRows) break;
  }
  return { reading, columns: titles.map((title, place) => ({ title, member: memberAt(reading, place) })), rows };
}

function memberAt({ columns: { places } }: FileReading, place: number): FileMember | null {
  return fileMembers.find((member) => places[member] === place) ?? null;
}

type Outcome = Pick<PreviewRow, "donation" | "isVoided" | "isUnpaid" | "faults">;

const unknown: Outcome = { donation: null, isVoided: false, isUnpaid: false, faults: [] };

function outcomeOf(row: TableRow, convert: ((row: TableRow) => FileDonation) | null, timezone: string, checkItem: CheckItem): Outcome {
  if (!convert) return unknown;
  const found = convert(row);
  const { isVoided, isUnpaid } = found;
  if (isVoided || isUnpaid) return { ...unknown, isVoided, isUnpaid };
  const checked = checkRow(found, checkItem);
  if ("faults" in checked) return { ...unknown, faults: checked.faults };
  const { donatorName, amount, createdAt = null, message = null } = checked.donation;
  const localTime = createdAt === null ? null : localText(parseInstant(createdAt).ms, timezone);
  return { ...unknown, donation: { donatorName, amount, createdAt, localTime, message } };
}

function localText(ms: number, timezone: string): string {
  return new Date(ms + zoneOf(timezone).offsetAt(ms)).toISOString().slice(0, 19).replace("T", " ");
}

/** A day number as its date, since a spreadsheet shows it so. */
function shownCell({ cells, formats }: TableRow, place: number, { date1904 }: FileReading): string {
  const cell = cells[place] ?? "";
  if (typeof cell === "string" || !isDateFormat(formats?.[place] ?? "")) return String(cell);
  const local = localOfSerial(cell, date1904);
  if (!(Math.abs(local) < 8.64e15)) return String(cell);
  const [day = "", clock = ""] = new Date(local).toISOString().slice(0, 19).split("T");
  return cell < 1 ? clock : clock === "00:00:00" ? day : `${day} ${clock}`;
}

function shorten(text: string): string {
  const letters = [...text];
  return letters.length > shownLetters ? `${letters.slice(0, shownLetters).join("")}…` : text;
}
