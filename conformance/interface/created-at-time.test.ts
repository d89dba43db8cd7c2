import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectAccepted, expectRefused, twoDigitRules } from "../suite/models/verdicts.ts";
import { type Parts, parts, written } from "../suite/values/date-times.ts";

twoDigitRules(
  "hour",
  { first: 0, last: 23, rule: "time", edge: "hour", cite: "2.2.4" },
  {
    "with seconds": (hour) => `2024-01-10T${hour}:10:10Z`,
    "without seconds": (hour) => `2024-01-10T${hour}:00Z`,
    "on the hour": (hour) => `2024-01-10T${hour}:00:00+07:00`,
  },
);

twoDigitRules(
  "minute",
  { first: 0, last: 59, rule: "time", edge: "minute", cite: "2.2.4" },
  {
    "with seconds": (minute) => `2024-01-10T10:${minute}:10Z`,
    "without seconds": (minute) => `2024-01-10T23:${minute}-07:00`,
  },
);

const times: [what: string, (one: Parts) => string][] = [
  ["an hour of one digit", ({ minute }) => `7:${minute}`],
  ["an hour of three digits", ({ hour, minute }) => `0${hour}:${minute}`],
  ["a minute of one digit", ({ hour }) => `${hour}:5`],
  ["a minute of three digits", ({ hour, minute }) => `${hour}:0${minute}`],
  ["no colon", ({ hour, minute }) => `${hour}${minute}`],
  ["a dot for the colon", ({ hour, minute }) => `${hour}.${minute}`],
  ["a hyphen for the colon", ({ hour, minute }) => `${hour}-${minute}`],
  ["a fullwidth colon", ({ hour, minute }) => `${hour}\uff1a${minute}`],
  ["no minute", ({ hour }) => hour],
  ["no minute, but its colon", ({ hour }) => `${hour}:`],
  ["no hour", ({ minute }) => `:${minute}`],
  ["no time", () => ""],
  ["a signed hour", ({ hour, minute }) => `+${hour}:${minute}`],
  ["a blank before it", ({ hour, minute }) => `  ${hour}:${minute}`],
  ["a blank behind it", ({ hour, minute }) => `${hour}:${minute} `],
  ["an hour of twelve and pm", ({ minute }) => `11:${minute}pm`],
  ["midnight at the day's end", () => "24:00"],
  ["midnight at the day's end, with seconds", () => "24:00:00"],
  ["Thai digits", ({ minute }) => `๑๒:${minute}`],
];

const withTime = ({ date, zone }: Parts, time: string): string => `${date}T${time}${zone}`;

describe("createdAt, time", () => {
  test.each(times)("a createdAt whose time has %s is refused (interface 2.2.4)", (_, change) =>
    holds(parts, (one) => expectRefused(createdAt(withTime(one, change(one))), "createdAt", "time"), { runs: 16 }),
  );

  test("a createdAt without seconds is accepted (interface 2.2.4)", () =>
    holds(parts, (one) => expectAccepted(createdAt(written({ ...one, second: null, fraction: null })), "createdAt"), { runs: 60 }));

  test("a createdAt in an hour that a clock change leaves out or repeats is accepted (interface 2.2.4)", () =>
    holdsForEach(["2024-03-10T02:30-05:00", "2024-03-31T02:30+01:00", "2024-11-03T01:30-04:00", "2024-11-03T01:30-05:00"], (text) =>
      expectAccepted(createdAt(text), "createdAt"),
    ));
});
