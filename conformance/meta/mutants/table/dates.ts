// Mutants of createdAt.

import { inDateTime } from "../contract-edit.ts";
import type { Mutants } from "../mutant.ts";

export const dates: Mutants = {
  "leap-1900": {
    broken: "29 February is accepted in 1900 and in every other century year",
    edit: inDateTime("(?:[02468][048]|[13579][26])00)-02-29", "[0-9]{2}00)-02-29"),
    killedBy: [["interface/created-at-leap-years", /every century/]],
  },
  "no-leap-2000": {
    broken: "29 February 2000 is refused",
    edit: inDateTime("|(?:[02468][048]|[13579][26])00)-02-29", ")-02-29"),
    killedBy: [["interface/created-at-leap-years", /every century/]],
  },
  "april-31": {
    broken: "the 31st of a month with 30 days is accepted",
    edit: inDateTime("(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)", "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|3[01])"),
    killedBy: [["interface/created-at-calendar", /04.*ends on day 30/]],
  },
  "february-29-always": {
    broken: "29 February is accepted in every year",
    edit: inDateTime("02-(?:0[1-9]|1[0-9]|2[0-8])", "02-(?:0[1-9]|1[0-9]|2[0-9])"),
    killedBy: [["interface/created-at-leap-years", /exactly in leap years: each year/]],
  },
  "year-0000": {
    broken: "the year 0000 is refused",
    edit: inDateTime("^(?:[0-9]{4}-(", "^(?:(?!0000)[0-9]{4}-("),
    killedBy: [["donations/created-at", /every month of 0 ends/]],
  },
  "hour-24": {
    broken: "the time 24:00 is accepted",
    edit: inDateTime("T(?:[01][0-9]|2[0-3])", "T(?:[01][0-9]|2[0-4])"),
    killedBy: [["interface/created-at-time", /24/]],
  },
  "second-60": {
    broken: "a leap second is accepted",
    edit: inDateTime("(?::[0-5][0-9](", "(?::(?:[0-5][0-9]|60)("),
    killedBy: [["interface/created-at-seconds", /a leap second is refused/]],
  },
  "small-t": {
    broken: "a lower-case t is accepted as the separator of date and time",
    edit: inDateTime("T(?:", "[Tt](?:"),
    killedBy: [["interface/created-at-separator", /in the place of the letter T/]],
  },
  "small-z": {
    broken: "a lower-case z is accepted for UTC",
    edit: inDateTime("(?:Z|[+-]", "(?:[Zz]|[+-]"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "no-zone": {
    broken: "a date-time without a time zone is accepted",
    edit: inDateTime(":[0-5][0-9])$", ":[0-5][0-9])?$"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "offset-24": {
    broken: "an offset of 24 hours is accepted",
    edit: inDateTime("[+-](?:[01][0-9]|2[0-3])", "[+-](?:[01][0-9]|2[0-4])"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "offset-14": {
    broken: "an offset of more than 14 hours, the largest of a real zone, is refused",
    edit: inDateTime("[+-](?:[01][0-9]|2[0-3])", "[+-](?:0[0-9]|1[0-4])"),
    killedBy: [["interface/created-at-zone", /is accepted/]],
  },
  "offset-without-colon": {
    broken: "an offset without a colon, +0700, is accepted",
    edit: inDateTime("2[0-3]):[0-5][0-9])$", "2[0-3]):?[0-5][0-9])$"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "fraction-without-seconds": {
    broken: "a fraction is accepted after minutes",
    edit: inDateTime("[0-5][0-9](?:\\.[0-9]+)?)?", "[0-5][0-9])?(?:\\.[0-9]+)?"),
    killedBy: [["interface/created-at-fraction", /without seconds/]],
  },
  "fraction-of-nine": {
    broken: "a fraction of more than nine digits is refused",
    edit: inDateTime("\\.[0-9]+", "\\.[0-9]{1,9}"),
    killedBy: [["interface/created-at-fraction", /10 digits/]],
  },
};
