// Converts instants into cells of a spreadsheet: local time as a serial number of days, or text outside the calendar of spreadsheets. Read back
// in the same time zone, a cell is the same instant.

import { formatEdge } from "../../base/instant.ts";
import { msPerDay, zoneOf } from "../../base/local-days.ts";
import type { Cell } from "./workbook-xml.ts";

/** 1900-01-01 and 9999-12-31T23:59:59.999, local. */
const first = Date.UTC(1900, 0, 1);
const last = Date.UTC(10_000, 0, 1) - 1;
/** Excel counts 1900-02-29, which did not exist, so earlier days have a number that is one less. */
const firstDayAfterLeapYearBug = Date.UTC(1900, 2, 1);
const dayZero = Date.UTC(1899, 11, 30);

export type DateCells = (ms: number) => Cell;

/**
 * Returns the function that converts an instant into a cell in local time. A date outside 1900 to 9999 becomes text, and a local time that
 * comes a second time, because clocks were set back, a date-time of the contract.
 */
export function dateCells(timezone: string): DateCells {
  const { offsetAt, offsetOfDay } = zoneOf(timezone);
  return (ms) => {
    const day = Math.floor(ms / msPerDay);
    const isSteady = offsetOfDay(day) === offsetOfDay(day + 1) && offsetOfDay(day) === offsetOfDay(day - 1);
    const local = ms + (isSteady ? offsetOfDay(day) : offsetAt(ms));
    if (!isSteady && isRepeated(local, ms, offsetAt)) return { kind: "text", value: formatEdge(ms) };
    if (local < first || local > last) return { kind: "text", value: textOf(local) };
    return { kind: "date", value: (local - dayZero) / msPerDay - (local < firstDayAfterLeapYearBug ? 1 : 0) };
  };
}

/** Whether an earlier instant has the same local time: clocks were set back. */
function isRepeated(local: number, ms: number, offsetAt: (ms: number) => number): boolean {
  const before = local - offsetAt(local - msPerDay);
  return before < ms && before + offsetAt(before) === local;
}

/** The local date as `2026-11-20`; years before 0 have a minus sign. */
export function localDay(ms: number, timezone: string): string {
  return textOf(ms + zoneOf(timezone).offsetAt(ms)).slice(0, -timeLength);
}

const timeLength = " 00:00:00.000".length;

/** A local time, given as if it were UTC, as `2026-11-20 19:30:00.000`. */
function textOf(local: number): string {
  const text = new Date(local).toISOString().replace("T", " ").replace("Z", "");
  return text.replace(/^-00/, "-").replace(/^\+0/, ""); // years before 0 and after 9999 have a sign and six digits
}
