// Generates date-times that interface 2.2 allows, from their parts.

import fc from "fast-check";

import { daysIn, dayText, digits } from "../contract/date-time.ts";
import { target } from "./target.ts";

/** The parts of a date-time as they are written. */
export type Parts = { date: string; hour: string; minute: string; second: string | null; fraction: string | null; zone: string };

/** A month just before the first release of the suite. A fixed one: the same seed sends the same bytes. */
const plausibleMonth = "2026-10";

/** The date, on a server of someone else that of its day in a month with 31 of them: only rules about dates record donations of odd years there. */
const plausible = (date: string): string => (target().foreign ? plausibleMonth + date.slice(plausibleMonth.length) : date);

/** The place in a date-time, on a server of someone else one behind its year: in another one the donation could be the streamer's latest. */
export const behindYear = (place: number): number => (target().foreign ? Math.max(place, "2026".length) : place);

/** Without the first and the last year, out of which an offset may lead: the interface does not say whether such a time is accepted. */
const years = fc.oneof(
  fc.constantFrom(2, 4, 100, 400, 1582, 1899, 1900, 1969, 1970, 2000, 2024, 2038, 2100, 9996, 9998),
  fc.integer({ min: 2, max: 9998 }),
);

export const dates: fc.Arbitrary<string> = fc
  .record({
    year: years,
    month: fc.integer({ min: 1, max: 12 }),
    fromEnd: fc.oneof(fc.constantFrom(0, 27), fc.integer({ min: 0, max: 27 })),
  })
  .map(({ year, month, fromEnd }) => dayText({ year, month, day: daysIn(year, month) - fromEnd }));

const twoDigits = (max: number): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(0, max), fc.integer({ min: 0, max })).map((value) => digits(value, 2));

const offsets = fc
  .tuple(fc.constantFrom("+", "-"), twoDigits(23), twoDigits(59))
  .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`);

const zones = fc.oneof(fc.constantFrom("Z", "+07:00", "-00:00", "+00:00", "+23:59", "-23:59"), offsets);

const fractions = fc.oneof(
  fc.constantFrom("0", "9", "999", "9995", "9999999", "0009"),
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 40 }),
);

export const parts: fc.Arbitrary<Parts> = fc
  .record({
    date: dates,
    hour: twoDigits(23),
    minute: twoDigits(59),
    second: fc.option(twoDigits(59)),
    digits: fc.option(fractions),
    zone: zones,
  })
  .map(({ digits: fraction, date, ...rest }) => ({ ...rest, date: plausible(date), fraction: rest.second === null ? null : fraction }));

export const written = ({ date, hour, minute, second, fraction, zone }: Parts): string =>
  `${date}T${hour}:${minute}${second === null ? "" : `:${second}`}${fraction === null ? "" : `.${fraction}`}${zone}`;

export const dateTimes: fc.Arbitrary<string> = parts.map(written);
