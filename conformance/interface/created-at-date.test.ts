import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { type Parts, parts, written } from "../suite/values/date-times.ts";

const forms: [rule: string, (date: string) => string][] = [
  ["without hyphens", (date) => date.replaceAll("-", "")],
  ["with one hyphen", (date) => date.slice(0, 7) + date.slice(8)],
  ["with slashes", (date) => date.replaceAll("-", "/")],
  ["with dots", (date) => date.replaceAll("-", ".")],
  ["with U+2010 for a hyphen", (date) => date.replaceAll("-", "\u2010")],
  ["with a year of two digits", (date) => date.slice(2)],
  ["with a year of three digits", (date) => date.slice(1)],
  ["with a year of five digits", (date) => `0${date}`],
  ["with a year above 9999", (date) => `1${date}`],
  ["with a signed year", (date) => `+${date}`],
  ["with an expanded year", (date) => `+00${date}`],
  ["with a negative year", (date) => `-${date}`],
  ["with a month of one digit", (date) => `${date.slice(0, 5)}1${date.slice(7)}`],
  ["with a month of three digits", (date) => `${date.slice(0, 5)}0${date.slice(5)}`],
  ["with a month of letters", (date) => `${date.slice(0, 5)}Jan${date.slice(7)}`],
  ["with a day of one digit", (date) => `${date.slice(0, 8)}1`],
  ["with a day of three digits", (date) => `${date.slice(0, 8)}0${date.slice(8)}`],
  ["without a day", (date) => date.slice(0, 7)],
  ["without a day, but its hyphen", (date) => date.slice(0, 8)],
  ["without a year", (date) => date.slice(5)],
  ["as a week date", (date) => `${date.slice(0, 4)}-W10-1`],
  ["as an ordinal date", (date) => `${date.slice(0, 4)}-100`],
  ["day first", (date) => date.split("-").toReversed().join("-")],
  ["left out", () => ""],
  ["behind a blank", (date) => ` ${date}`],
  ["behind a line break", (date) => `\n${date}`],
  ["behind a quotation mark", (date) => `"${date}`],
];

const withDate = ({ date, ...rest }: Parts, change: (date: string) => string): string => written({ date: change(date), ...rest });

describe("createdAt, date", () => {
  test.each(forms)("a createdAt is refused when its date is %s (interface 2.2.1)", (_, change) =>
    holds(parts, (one) => expectRefused(createdAt(withDate(one, change)), "createdAt", "date"), { runs: 16 }),
  );

  test("createdAt: the first and the last day of the years 0001 and 9999 are accepted (interface 2.2.1)", () =>
    holdsForEach(["0001-01-01", "0001-12-31", "9999-01-01", "9999-12-31"], (date) =>
      expectAccepted(createdAt(`${date}T12:00:00Z`), "createdAt"),
    ));

  test("createdAt: the past, the future and times before 1970 are accepted (interface 2.2.1)", () =>
    holdsForEach(
      [
        "1582-10-10",
        "1752-09-10",
        "1899-12-31",
        "1901-12-13",
        "1969-12-31",
        "1970-01-01",
        "2038-01-19",
        "2038-01-20",
        "2106-02-08",
        "2262-04-12",
        "2569-11-20",
      ],
      (date) => expectAccepted(createdAt(`${date}T23:59:59Z`), "createdAt"),
    ));

  test("createdAt: digits of other scripts are refused (interface 2.2.1)", () =>
    holdsForEach([0x0e50, 0x0660, 0x06f0, 0x0966, 0xff10, 0x1d7ce], (zero) =>
      expectRefused(createdAt(`202${String.fromCodePoint(zero + 4)}-01-10T10:10:10Z`), "createdAt", "date"),
    ));
});
