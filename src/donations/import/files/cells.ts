// Converts cells into the values that the contract takes. What cannot be converted stays as it is, so that the contract names its fault. Pure.

import { formatInstant } from "../../../time/instant.ts";
import { msPerDay, zoneOf } from "../../../time/local-days.ts";
import type { Cell } from "./table.ts";

const dayZero = Date.UTC(1899, 11, 30);
const afterPhantom = 61; // spreadsheets count 1900-02-29, which did not exist

/** An amount with or without currency signs and thousands separators, `฿1,234.50`. */
export function amountOf(cell: Cell): Cell {
  if (typeof cell === "number") return cell;
  const digits = cell.replace(/[\p{Sc}\s]|THB/gu, "").replace(/,(?=\d{3}(?:\D|$))/g, "");
  return /^[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?$/.test(digits) ? Number(digits) : cell;
}

/**
 * A time as createdAt: a date-time of the contract unchanged; otherwise a day number of a spreadsheet, seconds or milliseconds since 1970, or
 * a local time of the zone, `2026-11-20 19:30:00.000`, `2026-11-20`, `Nov 20, 2026 7:30 PM`. A time that occurs twice is the first one.
 */
export function createdAtOf(cell: Cell, timezone: string): Cell {
  if (typeof cell === "string" && /T.*(?:Z|[+-]\d\d:\d\d)$/.test(cell)) return cell;
  if (typeof cell === "string" && /^\d{10}$/.test(cell)) return formatInstant(Number(cell) * 1000);
  if (typeof cell === "string" && /^\d{13}$/.test(cell)) return formatInstant(Number(cell));
  const local = typeof cell === "number" ? localOfSerial(cell) : localOfText(cell);
  if (Number.isNaN(local)) return cell;
  const { offsetAt } = zoneOf(timezone);
  // The offset before a change belongs to the first of two equal local times.
  const before = local - offsetAt(local - msPerDay);
  const ms = before + offsetAt(before) === local ? before : local - offsetAt(local - offsetAt(local));
  return formatInstant(ms, Math.round(offsetAt(ms) / 60_000));
}

function localOfSerial(days: number): number {
  return Math.round((days + (days < afterPhantom ? 1 : 0)) * msPerDay) + dayZero;
}

function localOfText(text: string): number {
  const [, date, time = "00:00", more = ""] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(text.trim()) ?? [];
  if (date !== undefined) return Date.parse(`${date}T${time}${more || ":00"}Z`);
  // Only with the month in words: 11/12/2026 is another day here than there.
  return /[A-Za-z]{3}/.test(text) && !/\b(?:GMT|UTC)\b/.test(text)
    ? Date.parse(`${text} UTC`)
    : Date.parse(/[A-Za-z]{3}/.test(text) ? text : "");
}
