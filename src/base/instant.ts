// Converts date-times of interface 2.2 to and from milliseconds since 1970-01-01T00:00Z. The calendar arithmetic is our own, because V8's Date
// accepts 2023-02-29 and 24:00, and reads the years 0 to 99 as 1900 to 1999.

import { msPerDay } from "./local-days.ts";

type Instant = Readonly<{
  /** Milliseconds since 1970-01-01T00:00Z; fractions beyond are truncated, never rounded. */
  ms: number;
  /** The writer's offset from UTC in minutes. */
  offset: number;
}>;

const msPerMinute = 60_000;
const widestOffset = 23 * 60 + 59;
const firstMs = daysFromCivil(0, 1, 1) * msPerDay;
const lastMs = daysFromCivil(10_000, 1, 1) * msPerDay - 1;

/** Reads a date-time that the contract's pattern has accepted. */
export function parseInstant(text: string): Instant {
  const number = (from: number, to: number) => Number(text.slice(from, to));
  const days = daysFromCivil(number(0, 4), number(5, 7), number(8, 10));
  const zoneAt = text.endsWith("Z") ? text.length - 1 : text.length - 6;
  const seconds = zoneAt > 16 ? number(17, 19) : 0;
  const fraction = zoneAt > 20 ? Number(text.slice(20, Math.min(zoneAt, 23)).padEnd(3, "0")) : 0;
  const offset = parseOffset(text.slice(zoneAt));
  const minutes = number(11, 13) * 60 + number(14, 16) - offset;
  return { ms: days * msPerDay + minutes * msPerMinute + seconds * 1000 + fraction, offset };
}

/** Writes an instant in UTC with milliseconds, or with the given offset (minutes) when its UTC year is outside 0000 to 9999. */
export function formatInstant(ms: number, offset = 0): string {
  if (ms >= firstMs && ms <= lastMs) return formatUtc(ms);
  return new Date(ms + offset * msPerMinute).toISOString().replace("Z", formatOffset(offset));
}

/** As `formatInstant`; null for null. */
export const formatInstantOrNull = (ms: number | null) => (ms === null ? null : formatInstant(ms));

/** Formats an instant near the edges of the years 0000 to 9999: an offset keeps the year at four digits. */
export function formatEdge(ms: number): string {
  return formatInstant(ms, ms < 0 ? widestOffset : -widestOffset);
}

/** Days since 1970-01-01 of a date in the proleptic Gregorian calendar; years may be 0 or more. */
export function daysFromCivil(year: number, month: number, day: number): number {
  // The year starts in March, so that the leap day is its last (Hinnant, chrono-compatible date algorithms).
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));
const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, "0"));
const formattedDays = Array.from({ length: 256 }, () => ({ days: 0, text: "1970-01-01T" }));

/** Answers have dozens of instants of the same days: the date of a day is written once, which takes a third of Date's time. */
function formatUtc(ms: number): string {
  const days = Math.floor(ms / msPerDay);
  const place = days & 255;
  let day = formattedDays[place] as { days: number; text: string };
  if (day.days !== days) formattedDays[place] = day = { days, text: new Date(days * msPerDay).toISOString().slice(0, 11) };
  const time = ms - days * msPerDay;
  const seconds = Math.floor(time / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${day.text}${twoDigits[hours]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${threeDigits[Math.floor(time % 1_000)]}Z`;
}

function parseOffset(zone: string): number {
  if (zone === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith("-") ? -minutes : minutes;
}

function formatOffset(offset: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
