// Reads dates and times as people write them: with the month as a number or a word, in Thai or another language of these files, of the common or
// the Buddhist era, and with a zone. The day or the month may come first: both readings are kept. No library is careful enough: V8's Date and
// those built on it move 30 February to March, and take 03/10 for March. Pure.

import { daysFromCivil } from "../../../base/instant.ts";
import { isTimeZoneName, msPerDay } from "../../../base/local-days.ts";
import { type DateOrder, plainText } from "./table.ts";
import { readZone } from "./zones.ts";

/**
 * Days since 1970 under each order of day and month, null where no such day exists. `isBuddhist`: the year is of the Buddhist era, in which the
 * day comes first. `clock`: milliseconds since midnight; null: a date alone. `zone`: as it is written.
 */
export type WrittenTime = Readonly<{
  days: Readonly<Record<DateOrder, number | null>>;
  isBuddhist: boolean;
  clock: number | null;
  zone: string | null;
}>;

const maxLetters = 100;
const buddhistEra = 543;

/** Null for a text that is no date. */
export function readTime(typed: string): WrittenTime | null {
  if (typed.length > maxLetters) return null;
  const text = withSeparators(plainText(typed));
  const zoned = takeZone(text);
  const { clock, rest } = takeClock(zoned.rest);
  if (clock === undefined) return null;
  const words = readWords(rest);
  if (words === null || (zoned.zone !== null && words.zone !== null)) return null;
  const date = readDate(words);
  return date && { ...date, clock, zone: zoned.zone ?? words.zone };
}

/** A time of day without a date: milliseconds since midnight, and a zone where one is written. */
export function readClock(typed: string): Readonly<{ clock: number; zone: string | null }> | null {
  if (typed.length > maxLetters) return null;
  const zoned = takeZone(withSeparators(plainText(typed)));
  const { clock, rest } = takeClock(zoned.rest, true);
  const words = readWords(rest);
  if (typeof clock !== "number" || words === null || words.numbers.length > 0 || words.month !== null) return null;
  return { clock, zone: zoned.zone ?? words.zone };
}

/** `20261120193000`, `2026-11-20T19:30` and `2026-11-20 - 19:30` with the separators of `2026-11-20 19:30`. */
function withSeparators(text: string): string {
  return text
    .replace(/^((?:19|20|24|25)\d\d)(\d\d)(\d\d)(?:(?:t| )?(\d\d)(\d\d)(\d\d)?)?$/, (_, year, month, day, hour, minute, second = "00") =>
      hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day} ${hour}:${minute}:${second}`,
    )
    .replace(/^((?:19|20|24|25)\d\d)(\d\d)(\d\d) (?=\d\d?[:.])/, "$1-$2-$3 ")
    .replace(/(\d{4})年(\d{1,2})月(\d{1,2})日/, "$1-$2-$3")
    .replace(/(\d)t(?=\d)/, "$1 ")
    .replace(/(?<=\d) - (?=\d)/, " ");
}

/** An offset, behind UTC or a time of day, or a name of the IANA database. What is in brackets behind an offset explains it. */
function takeZone(text: string): { zone: string | null; rest: string } {
  const found =
    /(?<![a-z])(?:utc|gmt|ut) ?[-+]\d{1,2}(?::?\d\d)?(?!\d)|(?<=:\d\d(?:[.,]\d+)?(?: ?[ap]m)? ?)[-+]\d{1,2}(?::?\d\d)?(?!\d)/.exec(text) ??
    Array.from(text.matchAll(/[a-z_]+\/[a-z_+\-/]+\d*/g)).find(([name]) => isTimeZoneName(name));
  if (!found) return { zone: null, rest: text };
  const behind = text.slice(found.index + found[0].length).replace(/ ?(?:\([^)]*\)|\[[^\]]*\])$/, "");
  return { zone: found[0], rest: `${text.slice(0, found.index)} ${behind}` };
}

const halves = "am|pm|a\\.m\\.?|p\\.m\\.?|ก่อนเที่ยง|หลังเที่ยง";
const clocks = [
  new RegExp(
    `(?<![\\d/.:-])(\\d{1,2}):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?(?![\\d:])(?: ?(${halves})(?![a-z]))?(?: ?(?:น|hrs?|uhr|h)(?![a-z])\\.?)?`,
  ),
  new RegExp(`(?<![\\d/.:-])(\\d{1,2})\\.(\\d\\d)(?:\\.(\\d\\d))?(?!\\d)(?<fraction>(?!))? ?(?:(${halves})(?![a-z])|น(?![ก-๙])\\.?)`),
  new RegExp(`(?<![\\d/.:-])(\\d{1,2})(?<minute>(?!))?(?<second>(?!))?(?<fraction>(?!))? ?(${halves})(?![a-z])`),
  // Behind a whole date a point divides hours and minutes.
  /(?<=\d[/.-]\d{1,2}[/.-]\d{2,4},? |[a-zก-๙.] ?\d{4},? )(\d{1,2})\.(\d\d)(?:\.(\d\d))?$/,
];
/** Only where no date stands beside it: `19.30` is a day and a month elsewhere. */
const pointedClock = /^(\d{1,2})\.(\d\d)(?:\.(\d\d))?$/;

/** `clock` is null where no time is written, and undefined for one that does not exist, such as 25:00. */
function takeClock(text: string, isAlone = false): { clock: number | null | undefined; rest: string } {
  const found = clocks.map((pattern) => pattern.exec(text)).find((match) => match !== null) ?? (isAlone ? pointedClock.exec(text) : null);
  if (!found) return { clock: null, rest: text };
  const [all, hour, minute = "0", second = "0", fraction = "", half = ""] = found;
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + all.length)}`;
  const hours = hoursOf(Number(hour), half.startsWith("p") || half === "หลังเที่ยง" ? "pm" : half === "" ? null : "am");
  if (hours === null || Number(minute) > 59 || Number(second) > 59) return { clock: undefined, rest };
  return { clock: ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3)), rest };
}

function hoursOf(hour: number, half: "am" | "pm" | null): number | null {
  if (half === null) return hour <= 23 ? hour : null;
  if (hour > 12 || (hour === 0 && half === "pm")) return null;
  return (hour % 12) + (half === "pm" ? 12 : 0);
}

type Words = { numbers: string[]; month: number | null; era: "buddhist" | "common" | null; zone: string | null };

const monthLanguages = ["th", "en", "ru", "de", "fr", "es", "it", "pt", "id"];
const months = namesWhenAsked((language, length) => {
  const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { day: "numeric", month: length, timeZone: "UTC" });
  const nameOf = (month: number) => format.formatToParts(Date.UTC(2025, month, 15)).find(({ type }) => type === "month")?.value ?? "";
  return Array.from({ length: 12 }, (_, month) => [nameOf(month), month + 1]);
});
const weekdays = namesWhenAsked((language, length) => {
  if (!["th", "en", "ru", "de"].includes(language)) return []; // `mar` is a Tuesday elsewhere, and March here
  const format = new Intl.DateTimeFormat(language, { weekday: length, timeZone: "UTC" });
  return Array.from({ length: 7 }, (_, day) => [format.format(Date.UTC(2025, 0, 5 + day)).replace(/^วัน/, ""), day]);
});

type NamesOf = (language: string, length: "long" | "short") => (readonly [string, number])[];

/** Names with their numbers, made at the first call: most servers read no file, and the formats of nine languages take long. */
function namesWhenAsked(entries: NamesOf): () => ReadonlyMap<string, number> {
  let names: ReadonlyMap<string, number> | null = null;
  return () => (names ??= namesOf(entries));
}

function namesOf(entries: NamesOf): ReadonlyMap<string, number> {
  const all = monthLanguages.flatMap((language) => [...entries(language, "long"), ...entries(language, "short")]);
  return new Map(all.map(([name, number]) => [bare(name), number] as const).filter(([name]) => /^\p{L}/u.test(name)));
}

/** Words of dates that say nothing: `เวลา 19:30 น.`, `20 de noviembre`, `Nov 20 at 7 PM`, and weekdays as Thai spreadsheets shorten them, `ศ.`. */
const fillers = new Set([
  ...["อา", "จ", "อ", "พ", "พฤ", "ศ", "ส"],
  ...["at", "on", "of", "the", "de", "del", "à", "um", "uhr", "г", "в", "น", "เวลา", "วัน", "วันที่", "ที่", "เดือน", "ปี"],
]);
const eras = new Map<string, Words["era"]>([
  ...["พศ", "พุทธศักราช", "be"].map((name) => [name, "buddhist"] as const),
  ...["คศ", "คริสต์ศักราช", "ad", "ce"].map((name) => [name, "common"] as const),
]);

function bare(word: string): string {
  return word.toLowerCase().replaceAll(".", "");
}

/** Null with a word that no date has. */
function readWords(text: string): Words | null {
  const found: Words = { numbers: [], month: null, era: null, zone: null };
  const split = text
    .replace(/(\d)(?:st|nd|rd|th)(?![a-z])/g, "$1")
    .replace(/[-/](?=\p{L})|(?<=\p{L}\.?)[-/]|[()[\],]/gu, " ")
    .replace(/(?<=\d)(?=\p{L})|(?<=\p{L}[\p{M}.]*)(?=\d)/gu, " ");
  for (const word of split.split(" ").filter((one) => one !== "" && one !== ".")) if (!noteWord(found, word)) return null;
  return found;
}

function noteWord(found: Words, word: string): boolean {
  const name = bare(word);
  if (/^-?\d/.test(word)) return found.numbers.push(word.replace(/\.$/, "")) <= 2;
  const month = monthCalled(name);
  if (month !== undefined && found.month === null) {
    found.month = month;
    return true;
  }
  const era = eras.get(name);
  if (era) found.era = era;
  if (era || fillers.has(name) || weekdays().has(name.replace(/^วัน|ที่$/g, ""))) return true;
  if (found.zone !== null || !readZone(word)) return false;
  found.zone = word;
  return true;
}

/** `ธันวา` is short for `ธันวาคม`. */
function monthCalled(name: string): number | undefined {
  const longer = ["", "คม", "ยน", "พันธ์"].map((end) => months().get(name + end)).find((month) => month !== undefined);
  return longer ?? (name === "sept" ? 9 : undefined);
}

type WrittenDate = Pick<WrittenTime, "days" | "isBuddhist">;

function readDate({ numbers, month, era }: Words): WrittenDate | null {
  const [first = "", second = "", more] = month === null ? (numbers[0]?.match(/^-?\d+|\d+/g) ?? []) : numbers;
  if (month !== null) {
    const [year, day] = first.length > 2 ? [first, second] : [second, first];
    return isYear(year) && /^\d{1,2}$/.test(day) ? dateOf(year, era, [[month, day]]) : null;
  }
  if (numbers.length !== 1 || more === undefined) return null;
  if (/^-?\d{4,5}([-/.])\d{1,2}\1\d{1,2}$/.test(numbers[0] ?? "")) return dateOf(first, era, [[second, more]]);
  if (!/^\d{1,2}([-/.])\d{1,2}\1\d+$/.test(numbers[0] ?? "") || !isYear(more)) return null;
  const yearLast = dateOf(more, era, [
    [second, first],
    [first, second],
  ]);
  const isShort = /^\d\d.\d\d.\d\d$/.test(numbers[0] ?? "");
  const yearFirst = isShort ? dateOf(first, era, [[second, more]]) : null;
  const date = yearLast ?? yearFirst;
  return date && { ...date, days: { ...(yearLast?.days ?? noDays), "year-first": yearFirst?.days["year-first"] ?? null } };
}

const noDays = { "day-first": null, "month-first": null };

/** Two digits, or four of the years that a donation can have; other years are written as ISO 8601 does, the year first. */
function isYear(text: string): boolean {
  const year = Number(text) - (Number(text) >= 1900 + buddhistEra ? buddhistEra : 0);
  return /^\d\d$/.test(text) || (/^\d{4}$/.test(text) && year >= 1900 && year < 2100);
}

type MonthDay = readonly [month: string | number, day: string | number];

/** The day first, then the month first; one reading where the writing has only one. Null when no such day exists. */
function dateOf(written: string, era: Words["era"], [dayFirst, monthFirst = dayFirst]: readonly [MonthDay, MonthDay?]): WrittenDate | null {
  const year = yearOf(written, era);
  const dayOf = ([month, day]: MonthDay) =>
    exists(year.common, Number(month), Number(day)) ? daysFromCivil(year.common, Number(month), Number(day)) : null;
  const days = { "day-first": dayOf(dayFirst), "month-first": dayOf(monthFirst), "year-first": dayOf(dayFirst) };
  return days["day-first"] === null && days["month-first"] === null ? null : { days, isBuddhist: year.isBuddhist };
}

/**
 * The year of the common era. Four digits from 2443 to 2642 are of the Buddhist era. Two digits have one reading that a donation can have: 00 to
 * 42 are 2000 to 2042, and 43 to 99 are 2543 to 2599 of the Buddhist era, 2000 to 2056.
 */
function yearOf(written: string, era: Words["era"]): { common: number; isBuddhist: boolean } {
  const year = Number(written);
  const isShort = written.length <= 2;
  const isBuddhist = era === null ? (isShort ? year >= 43 : year >= 1900 + buddhistEra && year < 2100 + buddhistEra) : era === "buddhist";
  const whole = isShort ? year + (isBuddhist ? 2500 : 2000) : year;
  return { common: isBuddhist ? whole - buddhistEra : whole, isBuddhist };
}

/** The text begins with a year of the Buddhist era. */
export function hasBuddhistYear(text: string): boolean {
  return yearOf(/^\d{4}(?!\d)/.exec(text)?.[0] ?? "", null).isBuddhist;
}

function exists(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= ([31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0);
}

/**
 * A day number of a workbook as a local time in milliseconds. `25/12/2568`, typed into Excel, has the number of that day in 2568 of the common era:
 * such years are Buddhist. NaN for a day that the common year lacks.
 */
export function localOfSerial(days: number, date1904: boolean): number {
  const local = countedFrom(days, date1904);
  const date = new Date(local);
  const { common, isBuddhist } = yearOf(String(date.getUTCFullYear()), null);
  if (!isBuddhist) return local;
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()];
  return exists(common, month, day) ? date.setUTCFullYear(common) : Number.NaN;
}

/** Excel counts 1900-02-29, which did not exist. */
function countedFrom(days: number, date1904: boolean): number {
  if (date1904) return Math.round(days * msPerDay) + Date.UTC(1904, 0, 1);
  return Math.round((days + (days < firstDayAfterLeapYearBug ? 1 : 0)) * msPerDay) + Date.UTC(1899, 11, 30);
}

const firstDayAfterLeapYearBug = 61;
