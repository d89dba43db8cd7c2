// Converts cells into the values that the contract takes, or says why a cell has none. Pure.

import { formatEdge, formatInstant } from "../../../base/instant.ts";
import { msPerDay } from "../../../base/local-days.ts";
import { formatCurrency, isForeign, readAmount, type WrittenAmount } from "./amounts.ts";
import type { FileMember } from "./columns.ts";
import { isDateFormat, shownText, showsAmount } from "./number-formats.ts";
import type { FileReading } from "./reading.ts";
import type { Cell, TableRow } from "./table.ts";
import { hasBuddhistYear, localOfSerial, readClock, readTime, type WrittenTime } from "./times.ts";
import { clockOf, type LocalClock, readZone } from "./zones.ts";

/** The value, undefined for an empty cell; with a fault, the cell as it is. */
export type Found<Value> = Readonly<{ value: Value | undefined; fault?: string }>;

const shownCharacters = 40;

/** `amount “5o” must be a number` */
export function quoteFault(member: string, cell: unknown, rule: string): string {
  const letters = [...String(cell ?? "").slice(0, 2 * shownCharacters)].slice(0, shownCharacters); // an emoji has two code units
  const quoted = letters.length === 0 ? "" : ` “${letters.join("").toWellFormed()}”`;
  return `${member}${quoted} ${rule}`;
}

/** The amount of a row, in baht. */
export function amountIn({ cells, formats }: TableRow, { columns, decimal }: FileReading): Found<Cell> {
  const place = columns.places.amount ?? -1;
  const [cell, format = ""] = [cells[place], formats?.[place]];
  if (cell === undefined) return { value: undefined };
  const fail = (rule: string) => ({ value: cell, fault: quoteFault("amount", cell, rule) });
  const written = typeof cell === "number" ? ofNumber(columns.isOwn ? cell : shownNumber(cell), format) : readAmount(cell);
  if (!written || (typeof cell === "number" && (isDateFormat(format) || format.includes("%")))) return fail("must be a number");
  const currency = written.currency ?? columns.currency;
  if (currency !== null) return fail(`is in ${currency}, and only baht is recorded`);
  if (typeof cell === "number" && cell > 0 && format !== "" && !showsAmount(format)) return fail(amountFormatRule);
  if (written.point === written.comma) return written.point === null ? fail("must be a number") : { value: written.point };
  if (decimal === null) return fail(readings(written));
  const amount = written[decimal];
  return amount === null ? fail(`must be a number with a decimal ${decimal}`) : { value: amount };
}

function ofNumber(amount: number, format: string): WrittenAmount {
  return { point: amount, comma: amount, currency: formatCurrency(format) };
}

const amountFormatRule = "is not shown as an amount in baht by its number format: give it a plain one";

/** With the 15 digits that a spreadsheet shows: the sum of 1.1, 1.1 and 1.1 is stored as 3.3000000000000003. */
function shownNumber(number: number): number {
  return Number(number.toPrecision(15));
}

function readings({ point, comma }: WrittenAmount): string {
  if (point === null || comma === null) return "must be a number with the decimal sign that is chosen";
  return `is ${point} with a decimal point and ${comma} with a decimal comma, one of which must be chosen`;
}

/** Longer than any text of a donation may be: the rest of a longer one is left out, and the row is refused all the same. */
const maxText = 1_000;
/** A double has more digits, but Excel keeps fifteen. */
const maxWhole = 1e15;

/** A text of a row. A number must have all its digits, as its author sees them. */
export function textIn({ cells, formats }: TableRow, place: number | undefined, member: FileMember): Found<string> {
  const [cell, format = ""] = [cells[place ?? -1], formats?.[place ?? -1]];
  if (cell === undefined) return { value: undefined };
  const fail = (rule: string) => ({ value: String(cell).slice(0, maxText), fault: quoteFault(member, cell, rule) });
  const isId = member === "identifier" || member === "idempotencyKey";
  if (member !== "message" && /^#(?:N\/A|[A-Z]+[!?]|DIV\/0!)$/.test(String(cell)))
    return fail("is an error of a formula and must be a text");
  if (typeof cell === "string")
    return isId && isShortened(cell) ? fail("must be a number with all its digits") : { value: cell.slice(0, maxText) };
  if (isDateFormat(format)) return fail("is a date in the workbook and must be a text");
  if (Math.abs(cell) >= maxWhole || String(cell).includes("e")) return fail("must be a number with all its digits");
  const shown = shownText(shownNumber(cell), format);
  return shown === null ? fail("has a number format in the workbook and must be a text") : { value: shown };
}

/** `1.5E+17`, as a spreadsheet shows a long number. */
function isShortened(text: string): boolean {
  return /^\d(?:[.,]\d+)?E\+?\d+$/i.test(text.trim());
}

/** A currency in the words of the contract where it is baht, else as it stands there, so that the contract names it. */
export function codeIn({ cells }: TableRow, { columns, hasForeign }: FileReading): Found<string> {
  const cell = cells[columns.places.currency ?? -1];
  if (cell !== undefined) return { value: isForeign(cell) ? String(cell).trim().slice(0, maxText) : "THB" };
  return { value: undefined, ...(hasForeign && { fault: quoteFault("currency", cell, "must be named where other rows are not in baht") }) };
}

/** Local times beyond are refused: these and every offset from them are within Date's range, 100 million days around 1970. */
const maxDistance = (100_000_000 - 2) * msPerDay;

/** `clock`: milliseconds since midnight; null: a date alone. */
type LocalTime = Readonly<{ day: number; clock: number | null; zone: string | null }>;

/** Returns the function that reads the time of a row as createdAt. Undefined in a file without times; an empty cell in one with them is a fault. */
export function timeReader(reading: FileReading): (row: TableRow) => Found<Cell> {
  const { places } = reading.columns;
  const zones = new Map<string, LocalClock | null>();
  const zoneNamed = (name: string) => {
    const known = zones.get(name);
    if (known !== undefined) return known;
    const found = readZone(name);
    if (zones.size < maxZones) zones.set(name, found);
    return found;
  };
  const fallback = reading.zone.from === "choice" ? clockOf(reading.zone.name) : null;
  return ({ cells, formats }) => {
    if (places.createdAt === undefined) return { value: undefined };
    const cell = cells[places.createdAt];
    const isDate = isDateFormat(formats?.[places.createdAt] ?? "");
    if (cell === undefined) return { value: "", fault: quoteFault("createdAt", cell, timeRule) };
    const fail = (member: string, quoted: Cell | undefined, rule: string) => ({ value: cell, fault: quoteFault(member, quoted, rule) });
    const instant = reading.columns.isOwn || !hasBuddhistYear(String(cell)) ? instantOf(cell) : null;
    if (instant !== null) return { value: instant };
    if (typeof cell === "number" && reading.areDatesExchanged) return fail("createdAt", cell, exchangedRule);
    const date = typeof cell === "number" ? fromSerial(cell, reading, isDate) : fromText(cell, reading);
    if (typeof date === "string") return fail("createdAt", cell, date);
    const time = places.timeOfDay === undefined ? date : withClock(date, cells[places.timeOfDay], reading);
    if (typeof time === "string") return fail("timeOfDay", cells[places.timeOfDay ?? -1], time);
    const column = places.timeZone === undefined ? null : String(cells[places.timeZone] ?? "");
    const zone = time.zone ?? column ?? (reading.zone.from === "header" ? reading.zone.name : null);
    const clock = zone === null ? fallback : zoneNamed(zone);
    if (!clock)
      return time.zone === null && column !== null ? fail("timeZone", column, zoneRule) : fail("createdAt", `${cell} (${zone})`, zoneRule);
    const local = time.day * msPerDay + (time.clock ?? 0);
    return Math.abs(local) <= maxDistance ? { value: formatEdge(clock(local)) } : fail("createdAt", cell, timeRule);
  };
}

/** Zones that are kept by their names, in a column. */
const maxZones = 1_000;

export const timeRule = "must be a time such as 2026-11-20 19:30";
const zoneRule = "must be in a time zone that is known, such as Asia/Bangkok or +07:00";
const exchangedRule =
  "may have its day and month exchanged by the program that saved the file: write it as a text, such as 2026-11-20 19:30";
const clockRule = "must be a time of day such as 19:30";

/** A date-time of the contract unchanged, and seconds or milliseconds since 1970. */
function instantOf(cell: Cell): Cell | null {
  if (typeof cell === "string" && /^-?\d{4,6}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(cell)) return cell;
  if (/^\d{10}$/.test(String(cell))) return formatInstant(Number(cell) * 1000);
  return /^\d{13}$/.test(String(cell)) ? formatInstant(Number(cell)) : null;
}

/** The first day of 1970 and of 2100: other numbers that are not shown as dates are years, times of day or the like. */
const [firstDay, firstLaterDay] = [25_569, 73_051];
/** The first day of the year 10000, which no spreadsheet has. */
const endOfDays = 2_958_466;
const daysTo1904 = 1_462;

/** A day number, or a day that was typed as a number, `20261120`. */
function fromSerial(serial: number, { date1904 }: FileReading, isDate: boolean): LocalTime | string {
  const typed = /^\d{8}$/.test(String(serial)) ? readTime(String(serial)) : null;
  if (typed) return { day: typed.days["day-first"] ?? 0, clock: null, zone: null };
  const days = serial + (date1904 ? daysTo1904 : 0);
  const [first, end] = isDate ? [1, endOfDays] : [firstDay, firstLaterDay];
  const local = serial >= 1 && days >= first && days < end ? localOfSerial(serial, date1904) : Number.NaN;
  if (Number.isNaN(local)) return timeRule;
  const day = Math.floor(local / msPerDay);
  return { day, clock: local - day * msPerDay || null, zone: null };
}

function fromText(text: string, reading: FileReading): LocalTime | string {
  const time = readTime(text);
  if (!time) return timeRule;
  const day = dayIn(time, reading);
  return typeof day === "number" ? { day, clock: time.clock, zone: time.zone } : day;
}

function dayIn({ days }: WrittenTime, { dateOrder }: FileReading): number | string {
  const { "day-first": dayFirst, "month-first": monthFirst, "year-first": yearFirst } = days;
  if (dateOrder === "year-first" && yearFirst !== null) return yearFirst;
  if (dayFirst === monthFirst) return dayFirst ?? timeRule;
  if (dateOrder !== null) return days[dateOrder] ?? `must be a date with the ${dateOrder.replace("-", " ")}`;
  return "may begin with the day or with the month, one of which must be chosen";
}

/** A date with the time of day of another column; the date may have the same time, or midnight as a spreadsheet shows it. */
function withClock(date: LocalTime, cell: Cell | undefined, reading: FileReading): LocalTime | string {
  if (cell === undefined) return date.clock ? date : clockRule;
  const found =
    typeof cell === "number" ? fromFraction(cell, date.day, reading) : (readClock(cell) ?? fromDateTime(cell, date.day, reading));
  if (!found) return clockRule;
  if (date.clock && date.clock !== found.clock) return "must be the time that stands beside the date";
  return { day: date.day, clock: found.clock, zone: found.zone ?? date.zone };
}

function fromFraction(days: number, day: number, reading: FileReading): { clock: number; zone: null } | null {
  if (days >= 0 && days < 1) return { clock: Math.round(days * msPerDay) % msPerDay, zone: null };
  const local = fromSerial(days, reading, true);
  return typeof local === "string" || local.day !== day ? null : { clock: local.clock ?? 0, zone: null };
}

function fromDateTime(text: string, day: number, reading: FileReading): { clock: number; zone: string | null } | null {
  const time = fromText(text, reading);
  return typeof time === "string" || time.clock === null || time.day !== day ? null : { clock: time.clock, zone: time.zone };
}
