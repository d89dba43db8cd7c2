// Wrong answers to createdAt: what is accepted or refused, and which instant it becomes.

import type { Mutants } from "../mutant.ts";
import { at, jsonOf, type WrongAnswer, wrong } from "../wrong-answer.ts";

/** A server that takes what the pattern matches for the date-time in its place, and so accepts it. */
const takenFor = (pattern: RegExp, instead: string): Pick<WrongAnswer, "on" | "sent"> => ({
  on: "createDonation",
  sent: at<string>("createdAt", (text) => (typeof text === "string" ? text.replace(pattern, instead) : text)),
});

/** A server that refuses what the pattern matches. */
const refused = (pattern: RegExp): Pick<WrongAnswer, "on" | "sent"> => takenFor(new RegExp(`^.*(?:${pattern.source}).*$`), "no date-time");

const instant = (change: (time: number) => number): Pick<WrongAnswer, "on" | "answer"> => ({
  on: "createDonation getDonation",
  answer: at<string>("data.createdAt", (text) => new Date(change(Date.parse(text))).toISOString()),
});

export const createdAt: Mutants = {
  "leap-1900": wrong({
    broken: "29 February is accepted in 1900 and in every other century year",
    ...takenFor(/^(\d\d00)-02-29/, "$1-02-28"),
    killedBy: [["interface/created-at-leap-years", /every century/]],
  }),
  "no-leap-2000": wrong({
    broken: "29 February 2000 is refused",
    ...refused(/^2000-02-29/),
    killedBy: [["interface/created-at-leap-years", /every century/]],
  }),
  "february-29-always": wrong({
    broken: "29 February is accepted in every year",
    ...takenFor(/-02-29/, "-02-28"),
    killedBy: [["interface/created-at-leap-years", /exactly in leap years: each year/]],
  }),
  "april-31": wrong({
    broken: "the 31st of a month with 30 days is accepted",
    ...takenFor(/-(04|06|09|11)-31/, "-$1-30"),
    killedBy: [["interface/created-at-calendar", /04.*ends on day 30/]],
  }),
  "date-without-hyphens": wrong({
    broken: "a date without hyphens, 20261120, is accepted",
    ...takenFor(/^(\d{4})(\d\d)(\d\d)T/, "$1-$2-$3T"),
    killedBy: [["interface/created-at-date", /when its date is without hyphens/]],
  }),
  "year-0000": wrong({
    broken: "the year 0000 is refused",
    ...refused(/^0000-/),
    killedBy: [["donations/created-at", /every month of 0 ends/]],
  }),
  "hour-24": wrong({
    broken: "the time 24:00 is accepted",
    ...takenFor(/T24:00/, "T23:00"),
    killedBy: [["interface/created-at-time", /hour 23 is accepted, 24 refused/]],
  }),
  "second-60": wrong({
    broken: "a leap second is accepted",
    ...takenFor(/:60(?=[.Z+-])/, ":59"),
    killedBy: [["interface/created-at-seconds", /second 59 is accepted, 60 refused/]],
  }),
  "small-t": wrong({
    broken: "a lower-case t is accepted as the separator of date and time",
    ...takenFor(/t(?=\d)/, "T"),
    killedBy: [["interface/created-at-separator", /with a small t/]],
  }),
  "no-zone": wrong({
    broken: "a date-time without a time zone is accepted",
    ...takenFor(/^([^Z+]{10}T[\d:.]+)$/, "$1Z"),
    killedBy: [["interface/created-at-zone", /with nothing is refused/]],
  }),
  "offset-14": wrong({
    broken: "an offset of more than 14 hours, the largest of a real zone, is refused",
    ...refused(/[+-](?:14:(?!00)|1[5-9]:|2\d:)\d\d$/),
    killedBy: [["interface/created-at-zone", /the zone \+14:01 is accepted/]],
  }),
  "fraction-without-seconds": wrong({
    broken: "a fraction is accepted after minutes",
    ...takenFor(/T(\d\d:\d\d)\.\d+/, "T$1"),
    killedBy: [["interface/created-at-fraction", /without seconds/]],
  }),
  "fraction-of-nine": wrong({
    broken: "a fraction of more than nine digits is refused",
    ...refused(/\.\d{10,}/),
    killedBy: [["interface/created-at-fraction", /10 digits/]],
  }),
  "words-passed-over": wrong({
    broken: "a createdAt without a digit is passed over",
    ...takenFor(/^\D*$/, "2026-11-20T12:30Z"),
    killedBy: [["interface/created-at", /no date-time at all is refused/]],
  }),
  "fraction-rounded": wrong({
    broken: "a fraction is rounded to milliseconds instead of truncated",
    on: "createDonation",
    answer: at<string>("data.createdAt", (time, request) =>
      /\.\d{3}[5-9]/.test(String(jsonOf(request)?.createdAt)) ? new Date(Date.parse(time) + 1).toISOString() : time,
    ),
    killedBy: [["donations/created-at", /accepted after seconds and truncated to milliseconds/]],
  }),
  "offset-ignored": wrong({
    broken: "the offset of createdAt is ignored",
    ...takenFor(/[+-]\d\d:\d\d$/, "Z"),
    killedBy: [["donations/created-at", /comes back as the same instant/]],
  }),
  "two-digit-years": wrong({
    broken: "the years 0000 to 0099 are read as 1900 to 1999, as JavaScript's Date.UTC does",
    ...takenFor(/^00(\d\d)-/, "19$1-"),
    killedBy: [["donations/created-at", /every date-time of interface 2.2/]],
  }),
  "buddhist-years": wrong({
    broken: "a year from 2400 on is read as one of the Buddhist era",
    on: "createDonation",
    sent: at<string>("createdAt", (text) =>
      /^2[4-9]\d\d-(?!02-29)/.test(text) ? `${Number(text.slice(0, 4)) - 543}${text.slice(4)}` : text,
    ),
    killedBy: [["donations/created-at", /year of the Buddhist era/]],
  }),
  "sign-of-years": wrong({
    broken: "a year with a sign is accepted",
    ...takenFor(/^[+-](?=\d{4}-)/, ""),
    killedBy: [["donations/created-at-broken", /the year has no sign/]],
  }),
  "instants-of-bangkok": wrong({
    broken: "createdAt is answered in the time of Bangkok, called UTC",
    ...instant((time) => time + 7 * 3_600_000),
    killedBy: [["donations/created-at", /comes back as the same instant/]],
  }),
};
