import * as fc from "fast-check";
import { expect, test } from "vitest";
import { daysFromCivil, formatInstant, parseInstant } from "./instant.ts";

test.each([
  ["1970-01-01T00:00Z", 0],
  ["0000-02-29T00:00Z", -62162121600000],
  ["9999-12-31T23:59:59.9996Z", 253402300799999],
  ["2026-11-20T19:30:00.1+07:00", 1795177800100],
  ["1970-01-01T00:00-23:59", 86340000],
  ["1970-01-01T00:00:00.0009-00:00", 0],
  ["1969-12-31T23:59:59.9999Z", -1],
])("the date-time %s is %d ms since 1970", (text, ms) => {
  expect(parseInstant(text).ms).toBe(ms);
});

test("every instant of a four-digit year is the same after writing and reading it", () => {
  const instants = fc.integer({ min: -62167219200000, max: 253402300799999 });
  fc.assert(fc.property(instants, (ms) => parseInstant(formatInstant(ms)).ms === ms));
});

test("an instant whose UTC year is outside 0000 to 9999 is written with its own offset", () => {
  for (const text of ["0000-01-01T00:00:00.000+23:59", "9999-12-31T23:59:59.999-00:01"]) {
    const { ms, offset } = parseInstant(text);
    expect(formatInstant(ms, offset)).toBe(text);
  }
});

test("daysFromCivil counts every month of 800 years correctly", () => {
  let expected = daysFromCivil(1600, 1, 1);
  for (let year = 1600; year < 2400; year += 1)
    for (let month = 1; month <= 12; month += 1) {
      expect(daysFromCivil(year, month, 1)).toBe(expected);
      expected += new Date(Date.UTC(year, month, 0)).getUTCDate();
    }
});
