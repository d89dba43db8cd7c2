import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectAccepted, expectRefused, isAnsweredAsSpecified } from "../suite/models/verdicts.ts";
import { behindYear, dateTimes } from "../suite/values/date-times.ts";

const noDateTimes = [
  "",
  " ",
  "now",
  "today",
  "null",
  "Z",
  "T",
  "0",
  "1795203000",
  "1795203000000",
  "2026",
  "2026-11",
  "2026-11-20",
  "2026-324",
  "20/11/2026",
  "Fri, 20 Nov 2026 19:30:00 GMT",
  "Fri Nov 20 19:30:00 2026",
  "P1D",
  "0000-00-00",
  "วันนี้",
];

/** Characters that look right, or that lenient parsers skip. */
const strays = fc.constantFrom(..." \t\n\r\u00a0\u2028\ufeff0159TZtz+-:.,/eW๑１\u2212\u200b");

describe("createdAt", () => {
  test("a createdAt that is any date-time of interface 2.2 is accepted", () =>
    holds(dateTimes, (text) => expectAccepted(createdAt(text), "createdAt"), { runs: 400 }));

  test("a createdAt that is no date-time at all is refused (interface 2.1)", () =>
    holdsForEach(noDateTimes, (text) => expectRefused(createdAt(text), "createdAt", "date-time")));

  test("a createdAt with one character inserted anywhere is judged as interface 2.2 says", () =>
    holds(
      fc.tuple(dateTimes, strays, fc.nat(1000)).map(([text, stray, place]) => put(text, behindYear(place % (text.length + 1)), stray, 0)),
      (text) => isAnsweredAsSpecified(createdAt(text), "createdAt"),
      { runs: 400 },
    ));

  test("a createdAt with one character replaced is judged as interface 2.2 says", () =>
    holds(
      fc.tuple(dateTimes, strays, fc.nat(1000)).map(([text, stray, place]) => put(text, behindYear(place % text.length), stray, 1)),
      (text) => isAnsweredAsSpecified(createdAt(text), "createdAt"),
      { runs: 400 },
    ));

  test("a createdAt with one character removed is judged as interface 2.2 says", () =>
    holds(
      fc.tuple(dateTimes, fc.nat(1000)).map(([text, place]) => put(text, behindYear(place % text.length), "", 1)),
      (text) => isAnsweredAsSpecified(createdAt(text), "createdAt"),
      { runs: 200 },
    ));
});

const put = (text: string, at: number, between: string, instead: number): string => text.slice(0, at) + between + text.slice(at + instead);
