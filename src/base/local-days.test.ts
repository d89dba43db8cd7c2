import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import { dayAt, isTimeZoneName, msPerDay, startOfDay, zoneOf } from "./local-days.ts";

// The same by Temporal, which knows zones well and takes its time.
const zones = Intl.supportedValuesOf("timeZone");
const dayNumber = (date: Temporal.PlainDate) => Temporal.PlainDate.from("1970-01-01").until(date).days;

test("the local day of an instant and the first instant of a local day are those of Temporal, in every zone and year", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.oneof(fc.integer({ min: -719_528, max: 2_932_896 }), fc.integer({ min: -30_000, max: 30_000 })),
      fc.integer({ min: 0, max: msPerDay - 1 }),
      (timezone, day, ms) => {
        const at = Temporal.Instant.fromEpochMilliseconds(day * msPerDay + ms).toZonedDateTimeISO(timezone);
        const zone = zoneOf(timezone);
        const found = dayAt(day * msPerDay + ms, zone);
        expect(found).toBe(dayNumber(at.toPlainDate()));
        expect(startOfDay(found, zone)).toBe(at.toPlainDate().toZonedDateTime(timezone).epochMilliseconds);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("the local days of a zone begin where those of Temporal begin, through all changes of its clocks", () => {
  const days = fc.integer({ min: -40_000, max: 25_000 });
  fc.assert(
    fc.property(fc.constantFrom(...zones), days, (timezone, first) => {
      const transition = Temporal.Instant.fromEpochMilliseconds(first * msPerDay)
        .toZonedDateTimeISO(timezone)
        .getTimeZoneTransition("next");
      const date = (transition ?? Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timezone)).toPlainDate();
      for (const offset of [-2, -1, 0, 1, 2]) {
        const near = date.add({ days: offset });
        expect(startOfDay(dayNumber(near), zoneOf(timezone))).toBe(near.toZonedDateTime(timezone).epochMilliseconds);
      }
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["Asia/Bangkok", true],
  ["asia/bangkok", true],
  ["UTC", true],
  ["est", true],
  ["Japan", true],
  ["PST8PDT", true],
  ["Etc/GMT-7", true],
  ["CST", false],
  ["jst", false],
  ["SystemV/PST8", false],
  ["US/Pacific-New", false],
  ["+07:00", false],
  ["Mars/Olympus", false],
])("that %s is an IANA name is %s", (name, isName) => expect(isTimeZoneName(name)).toBe(isName));
