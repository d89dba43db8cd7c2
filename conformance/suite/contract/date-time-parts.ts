// Reads interface 2.2 a second time, independently of date-time.ts: as four parts, each looked up among its valid values.
// It finds which rule a text breaks: that of the part that would have to be rewritten.

/** The rules of interface 2.2, and that of 2.1 that createdAt is a date-time at all. */
export type DateTimeRule = "date" | "29 February" | "separator" | "time" | "zone" | "date-time";

/** Every set of rules that explains, as sparingly as possible, why the text is refused; empty where it is not. */
export function explanations(text: string): DateTimeRule[][] {
  const all = brokenRulesOfCuts(text);
  const minCount = Math.min(...all.map(({ length }) => length));
  if (minCount === 0) return [];
  if (minCount >= 3) return [["date-time"]]; // not even half of it is there
  const sets = all.filter(({ length }) => length === minCount);
  return [...new Map(sets.map((set) => [set.join(), set])).values()];
}

const maxDateLength = 14;
const maxSeparatorLength = 4;

/** The rules that are broken, for every way to cut the text into date, separator, time and zone. */
function brokenRulesOfCuts(text: string): DateTimeRule[][] {
  const found: DateTimeRule[][] = [];
  const zones = indexes(0, text.length).map((zone) => isZone(text.slice(zone)));
  const ends = indexes(0, Math.min(maxDateLength + maxSeparatorLength, text.length)).map((time) => endings(text, time, zones));
  for (const date of indexes(0, Math.min(maxDateLength, text.length))) {
    const start = ruleOfDate(text.slice(0, date));
    for (const time of indexes(date, Math.min(date + maxSeparatorLength, text.length))) {
      const middle: DateTimeRule[] = text.slice(date, time) === "T" ? [] : ["separator"];
      for (const end of ends[time] ?? []) found.push([...start, ...middle, ...end]);
    }
  }
  return found;
}

/** The same for a time that begins there and a zone behind it; of equal ones one. */
function endings(text: string, time: number, zones: readonly boolean[]): DateTimeRule[][] {
  const maybe = hours.has(text.slice(time, time + 2));
  const found: Record<string, DateTimeRule[]> = {};
  for (const zone of indexes(time, text.length)) {
    const hasTime = maybe && isTime(text.slice(time, zone));
    if (hasTime) found[zones[zone] ? "" : "zone"] = zones[zone] ? [] : ["zone"];
    else found[zones[zone] ? "time" : "both"] = zones[zone] ? ["time"] : ["time", "zone"];
  }
  return Object.values(found);
}

/** The whole numbers from `first` to `last`. A loop, because Array.from takes a quarter of the time of an explanation. */
function indexes(first: number, last: number): number[] {
  const all: number[] = [];
  for (let index = first; index <= last; index += 1) all.push(index);
  return all;
}

const two = (value: number): string => String(value).padStart(2, "0");
const upTo = (last: number): string[] => Array.from({ length: last + 1 }, (_, value) => two(value));

const hours = new Set(upTo(23));
const sixty = new Set(upTo(59));
const signs = new Set(["+", "-"]);

/** "01-01" to "12-31", without 29 February. */
const commonDays = new Set(
  [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].flatMap((length, month) =>
    Array.from({ length }, (_, day) => `${two(month + 1)}-${two(day + 1)}`),
  ),
);

/** Interface 2.2.2: the last two digits count, and in a year 00 of its century the first two. */
function isLeapYear(year: string): boolean {
  const decisive = year.endsWith("00") ? year.slice(0, 2) : year.slice(2);
  return Number(decisive) % 4 === 0;
}

const areDigits = (text: string): boolean => text.length > 0 && [...text].every((character) => "0123456789".includes(character));

/** Interface 2.2.1 and 2.2.2. */
function ruleOfDate(date: string): DateTimeRule[] {
  const [year, day] = [date.slice(0, 4), date.slice(5)];
  if (year.length !== 4 || !areDigits(year) || date[4] !== "-") return ["date"];
  if (commonDays.has(day)) return [];
  if (day !== "02-29") return ["date"];
  return isLeapYear(year) ? [] : ["29 February"];
}

/** Interface 2.2.4. */
function isTime(time: string): boolean {
  const clock = hours.has(time.slice(0, 2)) && time[2] === ":" && sixty.has(time.slice(3, 5));
  if (!clock || time.length === 5) return clock;
  if (time[5] !== ":" || !sixty.has(time.slice(6, 8))) return false;
  return time.length === 8 || (time[8] === "." && areDigits(time.slice(9)));
}

/** Interface 2.2.5. */
const isZone = (zone: string): boolean =>
  zone === "Z" ||
  (zone.length === 6 && signs.has(zone[0] ?? "") && hours.has(zone.slice(1, 3)) && zone[3] === ":" && sixty.has(zone.slice(4)));
