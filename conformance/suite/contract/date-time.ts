// Calendar arithmetic of the proleptic Gregorian calendar, with a year 0000, and date-times by interface 2.2, read character by character.
// Independent of Date, which accepts what interface 2.2 forbids.

export type Day = { year: number; month: number; day: number };

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Divisible by 4 and not by 100, or divisible by 400 (interface 2.2.2). */
export const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Days of the month; 0 where there is no such month. */
export const daysIn = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (lengths[month - 1] ?? 0));

/** Days from 0000-01-01 to this day. */
export function dayNumber({ year, month, day }: Day): number {
  const leapDays = year === 0 ? 0 : 1 + Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400);
  const months = lengths.slice(0, month - 1).reduce((sum, _, index) => sum + daysIn(year, index + 1), 0);
  return year * 365 + leapDays + months + day - 1;
}

/** The day that many days after 0000-01-01; null outside the years 0000 to 9999. */
export function dayOf(number: number): Day | null {
  if (number < 0 || number >= dayNumber({ year: 10_000, month: 1, day: 1 })) return null;
  let year = Math.floor(number / 366);
  while (dayNumber({ year: year + 1, month: 1, day: 1 }) <= number) year += 1;
  let month = 1;
  while (month < 12 && dayNumber({ year, month: month + 1, day: 1 }) <= number) month += 1;
  return { year, month, day: number - dayNumber({ year, month, day: 1 }) + 1 };
}

export const digits = (value: number, width: number): string => String(value).padStart(width, "0");

export const dayText = ({ year, month, day }: Day): string => `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;

// Date-times by interface 2.2.

/** A date-time as interface 2.2 writes it. */
export type DateTime = Day & {
  hour: number;
  minute: number;
  second: number;
  /** Fraction of the second, truncated. */
  milliseconds: number;
  /** Minutes that local time is ahead of UTC. */
  offset: number;
  /** The designator as it was written. */
  zone: string;
};

const dayMinutes = 1440;

/** Reads a text by the rules of interface 2.2, character by character; null where one is broken. */
export function parseDateTime(text: string): DateTime | null {
  const at = { text, index: 0 };
  const year = number(at, 4, 9999);
  const month = mark(at, "-") ? number(at, 2, 12) : null;
  const day = mark(at, "-") ? number(at, 2, 31) : null;
  const hour = mark(at, "T") ? number(at, 2, 23) : null;
  const minute = mark(at, ":") ? number(at, 2, 59) : null;
  const hasSeconds = mark(at, ":");
  const second = hasSeconds ? number(at, 2, 59) : 0;
  const milliseconds = hasSeconds && mark(at, ".") ? fraction(at) : 0;
  const zone = text.slice(at.index);
  const offset = offsetOf(zone);
  if (year === null || month === null || day === null || hour === null || minute === null) return null;
  if (second === null || milliseconds === null || offset === null || day < 1 || day > daysIn(year, month)) return null;
  return { year, month, day, hour, minute, second, milliseconds, offset, zone };
}

/** Milliseconds from 0000-01-01T00:00Z. Exact: the span stays below 2^53. */
export function instantOf(dateTime: DateTime): number {
  const minutes = dayNumber(dateTime) * dayMinutes + dateTime.hour * 60 + dateTime.minute - dateTime.offset;
  return minutes * 60_000 + dateTime.second * 1000 + dateTime.milliseconds;
}

/** How an answer writes the instant: in UTC, with milliseconds. Null where the UTC year leaves 0000 to 9999. */
export function instantText(instant: number): string | null {
  const day = dayOf(Math.floor(instant / 86_400_000));
  const inDay = ((instant % 86_400_000) + 86_400_000) % 86_400_000;
  return day && `${dayText(day)}T${timeText(inDay)}Z`;
}

/** The `createdAt` that must come back for this one: UTC, or the caller's own local time and offset where UTC has no year for it. */
export const answerTo = (dateTime: DateTime): string =>
  instantText(instantOf(dateTime)) ?? instantText(instantOf({ ...dateTime, offset: 0 }))?.replace("Z", dateTime.zone) ?? "";

type Cursor = { text: string; index: number };

const timeText = (inDay: number): string => {
  const seconds = Math.floor(inDay / 1000);
  const fields = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${fields.map((field) => digits(field, 2)).join(":")}.${digits(inDay % 1000, 3)}`;
};

function mark(at: Cursor, character: string): boolean {
  const there = at.text[at.index] === character;
  if (there) at.index += 1;
  return there;
}

const isDigit = (character: string | undefined): boolean => character !== undefined && character >= "0" && character <= "9";

/** Exactly `width` ASCII digits, at most `max`. */
function number(at: Cursor, width: number, max: number): number | null {
  const characters = [...at.text.slice(at.index, at.index + width)];
  if (characters.length !== width || !characters.every(isDigit)) return null;
  at.index += width;
  const value = Number(characters.join(""));
  return value <= max ? value : null;
}

/** One or more digits (interface 2.2.4), truncated to milliseconds. */
function fraction(at: Cursor): number | null {
  const start = at.index;
  while (isDigit(at.text[at.index])) at.index += 1;
  return at.index === start ? null : Number(at.text.slice(start, at.index).padEnd(3, "0").slice(0, 3));
}

/** `Z`, or sign, hours to 23 and minutes to 59 (interface 2.2.5), and nothing after it. */
function offsetOf(zone: string): number | null {
  if (zone === "Z") return 0;
  const at = { text: zone, index: 1 };
  const hours = number(at, 2, 23);
  const minutes = mark(at, ":") ? number(at, 2, 59) : null;
  if ((zone[0] !== "+" && zone[0] !== "-") || hours === null || minutes === null || at.index !== zone.length) return null;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}
