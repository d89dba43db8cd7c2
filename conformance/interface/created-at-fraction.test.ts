import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { type Parts, parts } from "../suite/values/date-times.ts";
import { expectEdges } from "../suite/values/score.ts";

const withFraction = ({ date, hour, minute, second, zone }: Parts, fraction: string): string =>
  `${date}T${hour}:${minute}:${second ?? "59"}${fraction}${zone}`;

const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });

const fractions: [what: string, fraction: string][] = [
  ["a comma for the dot", ",5"],
  ["a dot without digits", "."],
  ["two dots", "..5"],
  ["two fractions", ".5.5"],
  ["a blank before the digits", ". 5"],
  ["a sign before the digits", ".-5"],
  ["an exponent", ".5e1"],
  ["letters", ".abc"],
  ["an underscore between digits", ".123_456"],
  ["Thai digits", ".๕"],
  ["a fullwidth dot", "\uff0e5"],
];

describe("createdAt, fraction", () => {
  test("a createdAt with a fraction of 1, 2, 3, 6, 7, 9 and 10 digits is accepted (interface 2.2.4)", async () => {
    const lengths = [1, 2, 3, 4, 6, 7, 9, 10];
    await holdsForEach(lengths, (length) => expectAccepted(createdAt(`2024-01-10T10:10:59.${"9".repeat(length)}Z`), "createdAt"));
    expectEdges(lengths.map((length) => `createdAt fraction digits ${length}`));
  });

  test("a createdAt with a fraction of any number of digits is accepted (interface 2.2.4)", async () => {
    await holdsForEach([11, 12, 15, 16, 17, 18, 19, 20, 21, 25, 30, 40, 64, 100, 255, 256, 1000], (length) =>
      expectAccepted(createdAt(`2024-01-10T10:10:59.${"9".repeat(length)}Z`), "createdAt"),
    );
    await holds(
      fc.tuple(parts, fc.integer({ min: 1, max: 40 }).chain(digits)),
      ([one, fraction]) => expectAccepted(createdAt(withFraction(one, `.${fraction}`)), "createdAt"),
      { runs: 120 },
    );
  });

  test("a createdAt with a fraction of zeros is accepted (interface 2.2.4)", () =>
    holdsForEach([1, 3, 6, 9, 30], (length) => expectAccepted(createdAt(`2024-01-10T10:10:00.${"0".repeat(length)}Z`), "createdAt")));

  test("a createdAt with a fraction that would round up into the next year is accepted (interface 2.2.4)", () =>
    holdsForEach(["2024-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999999Z", "2024-02-29T23:59:59.9996Z"], (text) =>
      expectAccepted(createdAt(text), "createdAt"),
    ));

  test("a createdAt with a fraction is refused without seconds, accepted with them (interface 2.2.4)", () =>
    holds(
      fc.tuple(parts, fc.integer({ min: 1, max: 9 }).chain(digits)),
      async ([one, fraction]) => {
        const { date, hour, minute, zone } = one;
        await expectRefused(createdAt(`${date}T${hour}:${minute}.${fraction}${zone}`), "createdAt", "time");
        await expectAccepted(createdAt(withFraction(one, `.${fraction}`)), "createdAt");
      },
      { runs: 40 },
    ));

  test.each(fractions)("a createdAt whose fraction is written with %s is refused (interface 2.2.4)", (_, fraction) =>
    holds(parts, (one) => expectRefused(createdAt(withFraction(one, fraction)), "createdAt", "time"), { runs: 16 }),
  );
});
