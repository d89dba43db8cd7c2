// Converts instants into cells of a spreadsheet: local time as a serial number of days, or text outside the calendar of spreadsheets.

import { Temporal } from "temporal-polyfill";
import type { Cell } from "./workbook-xml.ts";

const msPerDay = 86_400_000;
const maxCachedDays = 10_000;

/** 1900-01-01 and 9999-12-31T23:59:59.999, local. */
const first = Date.UTC(1900, 0, 1);
const last = Date.UTC(10_000, 0, 1) - 1;
/** Excel counts 1900-02-29, which did not exist, so earlier days have a number that is one less. */
const afterPhantom = Date.UTC(1900, 2, 1);
const dayZero = Date.UTC(1899, 11, 30);

export type DateCells = (ms: number) => Cell;

/** Returns the function that converts an instant into a cell in local time. A date outside 1900 to 9999 becomes text. */
export function dateCells(timezone: string): DateCells {
  const offset = cachedOffsets(timezone);
  return (ms) => {
    const local = ms + offset(ms);
    if (local < first || local > last) return { kind: "text", value: localText(ms, timezone) };
    return { kind: "date", value: (local - dayZero) / msPerDay - (local < afterPhantom ? 1 : 0) };
  };
}

/** Offsets from UTC in milliseconds. The offset of a UTC day is cached when it is the same at both ends of the day. */
function cachedOffsets(timezone: string): (ms: number) => number {
  const days = new Map<number, number | null>();
  const offsetAt = (ms: number) => Math.floor(local(ms, timezone).offsetNanoseconds / 1_000_000);
  const offsetOfDay = (day: number) => {
    const [start, end] = [offsetAt(day * msPerDay), offsetAt((day + 1) * msPerDay)];
    return start === end ? start : null;
  };
  return (ms) => {
    const day = Math.floor(ms / msPerDay);
    let offset = days.get(day);
    if (offset === undefined) {
      if (days.size >= maxCachedDays) days.clear();
      days.set(day, (offset = offsetOfDay(day)));
    }
    return offset ?? offsetAt(ms);
  };
}

/** The local date as `2026-11-20`; years before 0 have a minus sign. */
export function localDay(ms: number, timezone: string): string {
  const { year, month, day } = local(ms, timezone);
  const years = `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`;
  return `${years}-${two(month)}-${two(day)}`;
}

function localText(ms: number, timezone: string): string {
  const { hour, minute, second, millisecond } = local(ms, timezone);
  return `${localDay(ms, timezone)} ${two(hour)}:${two(minute)}:${two(second)}.${String(millisecond).padStart(3, "0")}`;
}

function local(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
