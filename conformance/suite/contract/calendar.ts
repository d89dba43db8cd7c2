// Calendar arithmetic of the proleptic Gregorian calendar, with a year 0000. Independent of Date, which accepts what interface 2.2 forbids.

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
