// Converts cells into the values that the contract takes. What cannot be converted stays as it is, so that the contract names its fault. Pure.

import { withArabicDigits } from "../../../text/arabic-digits.ts";
import { formatEdge, formatInstant } from "../../../time/instant.ts";
import { msPerDay, zoneOf } from "../../../time/local-days.ts";
import type { Cell } from "./table.ts";

/** Longer than any form of a time that is read here; a date-time of the contract is returned unchanged. */
const maxTimeLetters = 100;
const dayZero = Date.UTC(1899, 11, 30);
const firstDayAfterLeapYearBug = 61; // spreadsheets count 1900-02-29, which did not exist
/** Local times beyond are left as they are: these and every offset from them are within Date's range, 100 million days around 1970. */
const maxDistance = (100_000_000 - 2) * msPerDay;

/** An amount with or without currency signs and thousands separators, `฿1,234.50`, `๕๐ บาท`. */
export function amountOf(cell: Cell): Cell {
  if (typeof cell === "number") return cell;
  const digits = withArabicDigits(cell)
    .replace(/[\p{Sc}\s]|THB|บาท/gu, "")
    .replace(/,(?=\d{3}(?:\D|$))/g, "");
  return /^-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(digits) ? Number(digits) : cell;
}

/** A zone in a text, as Date.parse reads it: `UTC`, `GMT+0700`, `EST`, or an offset behind the time, `19:30 +07:00`. */
const writtenZone =
  /(?<![A-Za-z])(?:GMT|UTC?|Z|[ECMP][SD]T)(?: ?[+-]\d{1,2}:?(?:\d\d)?)?(?![A-Za-z\d])|(?<=:\d\d(?:\.\d+)?(?: ?[AP]M)? ?)[+-]\d{1,2}:?(?:\d\d)?(?!\d)/i;
const maxOffset = 14 * 3_600_000;

/**
 * A time as createdAt: a date-time of the contract unchanged; otherwise a day number of a spreadsheet, seconds or milliseconds since 1970, or
 * a local time, `2026-11-20 19:30:00.000`, `2026-11-20`, `20/11/2569 19:30`, `Nov 20, 2026 7:30 PM`, of the zone that stands beside it, else of
 * `timezone`. A time that occurs twice is the first one.
 */
export function createdAtOf(cell: Cell, timezone: string): Cell {
  if (typeof cell === "string" && (cell.length > maxTimeLetters || (cell.includes("T") && /(?:Z|[+-]\d\d:\d\d)$/.test(cell)))) return cell;
  if (/^\d{10}$/.test(String(cell))) return formatInstant(Number(cell) * 1000);
  if (/^\d{13}$/.test(String(cell))) return formatInstant(Number(cell));
  const local = typeof cell === "number" ? localOfSerial(cell) : localOfText(cell.replace(writtenZone, ""));
  if (Number.isNaN(local) || Math.abs(local) > maxDistance) return cell;
  const [zone] = typeof cell === "number" ? [] : (writtenZone.exec(cell) ?? []);
  if (zone === undefined) return instantIn(timezone, local);
  const offset = offsetOf(zone);
  return Math.abs(offset) <= maxOffset ? formatInstant(local - offset) : cell;
}

function instantIn(timezone: string, local: number): string {
  const { offsetAt } = zoneOf(timezone);
  // The offset before a change belongs to the first of two equal local times.
  const before = local - offsetAt(local - msPerDay);
  const ms = before + offsetAt(before) === local ? before : local - offsetAt(local - offsetAt(local));
  return formatEdge(ms);
}

/** The offset of a zone that a text names, in milliseconds. */
function offsetOf(zone: string): number {
  return Date.parse("2026-01-01 00:00 UTC") - Date.parse(`2026-01-01 00:00 ${zone}`);
}

function localOfSerial(days: number): number {
  return Math.round((days + (days < firstDayAfterLeapYearBug ? 1 : 0)) * msPerDay) + dayZero;
}

/** NaN for a date that does not exist, such as 30 February, which Date.parse would move to March. */
function localOfText(typed: string): number {
  const text = withArabicDigits(typed).trim();
  const [, date, time = "00:00", more = ":00"] =
    /^(-?\d{4,5}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?$/.exec(thaiOrder(text)) ?? [];
  if (date !== undefined) {
    const common = withSixDigitYear(withCommonYear(date));
    const ms = Date.parse(`${common}T${time}${more}Z`);
    return isDayOf(ms, common) ? ms : Number.NaN;
  }
  // Only with the month in words: 11/12/2026 is another day here than there.
  if (!/[A-Za-z]{3}/.test(text)) return Number.NaN;
  const ms = Date.parse(`${text} UTC`);
  return new RegExp(`\\b0?${new Date(ms).getUTCDate()}\\b.*\\b${new Date(ms).getUTCFullYear()}\\b`).test(text) ? ms : Number.NaN;
}

/** `05/01/2568 21:00` → `2568-01-05 21:00`: a year of the Buddhist era says that the day comes first. */
function thaiOrder(text: string): string {
  const [, day = "", month = "", year = "", rest = ""] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})( .*)?$/.exec(text) ?? [];
  return isBuddhist(year) ? `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}${rest}` : text;
}

/** `2568-01-05` → `2025-01-05` */
function withCommonYear(date: string): string {
  const year = date.slice(0, 4);
  return isBuddhist(year) ? `${Number(year) - buddhistEra}${date.slice(4)}` : date;
}

/** `10000-01-01` → `+010000-01-01`, as Date writes years before 0 and after 9999. */
function withSixDigitYear(date: string): string {
  return date.replace(/^(-?)(\d{4,5})(?=-)/, (year, sign, digits) =>
    sign === "" && digits.length === 4 ? year : `${sign || "+"}${digits.padStart(6, "0")}`,
  );
}

const buddhistEra = 543;

/** Whether the year of a donation is one of the Buddhist era, as Thai calendars write it: 1900 to 2099 otherwise. */
function isBuddhist(year: string): boolean {
  return Number(year) >= 1900 + buddhistEra && Number(year) < 2100 + buddhistEra;
}

function isDayOf(ms: number, date: string): boolean {
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}
