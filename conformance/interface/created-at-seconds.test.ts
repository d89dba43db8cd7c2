import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectRefused, twoDigitRules } from "../suite/models/verdicts.ts";
import { type Parts, parts } from "../suite/values/date-times.ts";

twoDigitRules(
  "second",
  { first: 0, last: 59, rule: "time", edge: "second", cite: "2.2.4" },
  {
    "before Z": (second) => `2024-01-10T10:10:${second}Z`,
    "before a fraction": (second) => `2024-01-10T23:59:${second}.5Z`,
    "before an offset": (second) => `2024-01-10T23:59:${second}+07:00`,
  },
);

const seconds: [what: string, second: string][] = [
  ["of one digit", ":5"],
  ["of three digits", ":005"],
  ["of no digits", ":"],
  ["behind a dot", ".05"],
  ["behind a blank", ": 05"],
  ["signed", ":+5"],
  ["twice", ":05:05"],
  ["in Thai digits", ":๐๕"],
];

const withSecond = ({ date, hour, minute, zone }: Parts, second: string): string => `${date}T${hour}:${minute}${second}${zone}`;

describe("createdAt, seconds", () => {
  test.each(seconds)("a createdAt with seconds %s is refused (interface 2.2.4)", (_, second) =>
    holds(parts, (one) => expectRefused(createdAt(withSecond(one, second)), "createdAt", "time"), { runs: 16 }),
  );

  test("a createdAt with a leap second is refused, even one that happened (interface 2.2.4)", () =>
    holdsForEach(["2016-12-31T23:59:60Z", "2017-01-01T06:59:60+07:00", "1972-06-30T23:59:60Z", "2016-12-31T23:59:60.999Z"], (text) =>
      expectRefused(createdAt(text), "createdAt", "time"),
    ));
});
