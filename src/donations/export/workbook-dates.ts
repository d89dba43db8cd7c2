// Instants as a spreadsheet shows them: local time as a serial number of days, or text where its calendar ends.

import { Temporal } from "temporal-polyfill";
import type { Cell } from "./workbook-xml.ts";

const msPerDay = 86_400_000;
const maxRemembered = 10_000;

/** 1900-01-01 and 9999-12-31T23:59:59.999, local. */
const first = Date.UTC(1900, 0, 1);
const last = Date.UTC(10_000, 0, 1) - 1;
/** Excel counts 1900-02-29, a day that never was, so earlier ones have one less. */
const afterPhantom = Date.UTC(1900, 2, 1);
const dayZero = Date.UTC(1899, 11, 30);

export type DateCells = (ms: number) => Cell;

/** Cells of instants, local to a time zone; a date outside 1900 to 9999 is text. */
export function dateCells(timezone: string): DateCells {
  const offset = rememberedOffsets(timezone);
  return (ms) => {
    const local = ms + offset(ms);
    if (local < first || local > last) return { kind: "text", value: localText(ms, timezone) };
    return { kind: "date", value: (local - dayZero) / msPerDay - (local < afterPhantom ? 1 : 0) };
  };
}

/** Offsets from UTC in milliseconds. A UTC day with the same offset at both of its ends is asked for once. */
function rememberedOffsets(timezone: string): (ms: number) => number {
  const days = new Map<number, number | null>();
  const exact = (ms: number) => Math.floor(local(ms, timezone).offsetNanoseconds / 1_000_000);
  const whole = (day: number) => {
    const [start, end] = [exact(day * msPerDay), exact((day + 1) * msPerDay)];
    return start === end ? start : null;
  };
  return (ms) => {
    const day = Math.floor(ms / msPerDay);
    let offset = days.get(day);
    if (offset === undefined) {
      if (days.size >= maxRemembered) days.clear();
      days.set(day, (offset = whole(day)));
    }
    return offset ?? exact(ms);
  };
}

/** `2026-11-20`; years before 0 have a minus. */
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
