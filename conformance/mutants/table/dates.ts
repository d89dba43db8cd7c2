import { inDateTime } from "../contract-edit.ts";
import type { Edit, Mutants } from "../mutant.ts";

const inInstant = (from: string, to: string): Edit => ({ file: "src/time/instant.ts", from, to });

export const dates: Mutants = {
  "leap-1900": {
    broken: "29 February of 1900 and of every other century is a day",
    edit: inDateTime("(?:[02468][048]|[13579][26])00)-02-29", "[0-9]{2}00)-02-29"),
    killedBy: [["interface/created-at-leap-years", /every century/]],
  },
  "no-leap-2000": {
    broken: "29 February of 2000 is no day",
    edit: inDateTime("|(?:[02468][048]|[13579][26])00)-02-29", ")-02-29"),
    killedBy: [["interface/created-at-leap-years", /every century/]],
  },
  "april-31": {
    broken: "months of 30 days have 31",
    edit: inDateTime("(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)", "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|3[01])"),
    killedBy: [["interface/created-at-calendar", /04.*ends on day 30/]],
  },
  "february-29-always": {
    broken: "February has 29 days in every year",
    edit: inDateTime("02-(?:0[1-9]|1[0-9]|2[0-8])", "02-(?:0[1-9]|1[0-9]|2[0-9])"),
    killedBy: [["interface/created-at-leap-years", /every year/]],
  },
  "year-0000": {
    broken: "there is no year 0000",
    edit: inDateTime("^(?:[0-9]{4}-(", "^(?:(?!0000)[0-9]{4}-("),
    killedBy: [["interface/created-at-date", /first and the last year/]],
  },
  "hour-24": {
    broken: "24:00 is a time",
    edit: inDateTime("T(?:[01][0-9]|2[0-3])", "T(?:[01][0-9]|2[0-4])"),
    killedBy: [["interface/created-at-time", /24/]],
  },
  "second-60": {
    broken: "there are leap seconds",
    edit: inDateTime("(?::[0-5][0-9](", "(?::(?:[0-5][0-9]|60)("),
    killedBy: [["interface/created-at-seconds", /no leap second/]],
  },
  "small-t": {
    broken: "the separator may be a small t",
    edit: inDateTime("T(?:", "[Tt](?:"),
    killedBy: [["interface/created-at-separator", /is not the letter T/]],
  },
  "small-z": {
    broken: "UTC may be written as a small z",
    edit: inDateTime("(?:Z|[+-]", "(?:[Zz]|[+-]"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "no-zone": {
    broken: "the timezone may be left out",
    edit: inDateTime(":[0-5][0-9])$", ":[0-5][0-9])?$"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "offset-24": {
    broken: "an offset may have 24 hours",
    edit: inDateTime("[+-](?:[01][0-9]|2[0-3])", "[+-](?:[01][0-9]|2[0-4])"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "offset-14": {
    broken: "an offset has at most 14 hours, as those of real zones",
    edit: inDateTime("[+-](?:[01][0-9]|2[0-3])", "[+-](?:0[0-9]|1[0-4])"),
    killedBy: [["interface/created-at-zone", /is accepted/]],
  },
  "offset-without-colon": {
    broken: "an offset may be +0700",
    edit: inDateTime("2[0-3]):[0-5][0-9])$", "2[0-3]):?[0-5][0-9])$"),
    killedBy: [["interface/created-at-zone", /is refused/]],
  },
  "fraction-without-seconds": {
    broken: "a fraction may follow minutes",
    edit: inDateTime("[0-5][0-9](?:\\.[0-9]+)?)?", "[0-5][0-9])?(?:\\.[0-9]+)?"),
    killedBy: [["interface/created-at-fraction", /without seconds/]],
  },
  "fraction-of-nine": {
    broken: "a fraction has at most nine digits",
    edit: inDateTime("\\.[0-9]+", "\\.[0-9]{1,9}"),
    killedBy: [["interface/created-at-fraction", /10 digits/]],
  },
  "fraction-rounded": {
    broken: "a fraction is rounded to milliseconds",
    edit: inInstant(
      'Number(text.slice(20, Math.min(zoneAt, 23)).padEnd(3, "0"))',
      "Math.round(Number(`0.${text.slice(20, zoneAt)}`) * 1000)",
    ),
    killedBy: [["donations/created-at", /truncated to milliseconds/]],
  },
  "offset-ignored": {
    broken: "the offset is read and forgotten",
    edit: inInstant("number(14, 16) - offset", "number(14, 16)"),
    killedBy: [["donations/created-at", /comes back as the same instant/]],
  },
  "two-digit-years": {
    broken: "the years 0000 to 0099 are 1900 to 1999, as JavaScript has it",
    edit: inInstant(
      "daysFromCivil(number(0, 4), number(5, 7), number(8, 10))",
      "Date.UTC(number(0, 4), number(5, 7) - 1, number(8, 10)) / msPerDay",
    ),
    killedBy: [["donations/created-at", /every date-time of interface 2.2/]],
  },
};
