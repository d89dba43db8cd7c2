// How the rows of a file are read: which of them is the header, and what only the whole column shows, the order of day and month and the decimal
// sign. What the person chose comes first. Where both readings are possible, the person is asked. Pure but for the reading of rows.

import { makeYield } from "../../../base/async.ts";
import { type DecimalSign, isForeign, readAmount, splitCurrency } from "./amounts.ts";
import {
  type ColumnMap,
  type FileMember,
  guessColumns,
  type Header,
  mapColumns,
  type Places,
  placeColumns,
  withoutDoubles,
} from "./columns.ts";
import { findHeader, isFigure, maxTitleRows } from "./header.ts";
import { type Cell, type DateOrder, type FileChoices, plainText, type Table, type TableReading, type TableRow } from "./table.ts";
import { localOfSerial, readTime, type WrittenTime } from "./times.ts";

export type ReadingOptions = Readonly<{
  /** Of times that name no zone, where neither a column nor its title does. */
  timezone: string;
  /** Members by the names of their columns. */
  columns: ReadonlyMap<string, FileMember>;
  /** The place of every member among the columns, instead of their names. */
  places?: Readonly<Places> | null;
  /** What the person said of the file. */
  choices: FileChoices;
  /** A file with more rows behind its header is refused. */
  maxRows?: number;
}>;

type Question = "sheet" | "dateOrder" | "decimal";

/**
 * `headerRow`: its number in the file; `rowsBefore`: rows that are not empty and stand in front of it. `dateOrder` and `decimal`: null where no
 * value needs it, and where it is a question. `zone`: of times that name none, and who says so. Donations are not read while there are questions.
 */
export type FileReading = Omit<TableReading, "questions"> &
  Readonly<{
    headerRow: number;
    rowsBefore: number;
    columns: ColumnMap;
    dateOrder: DateOrder | null;
    /**
     * A spreadsheet of another country has read some of the dates and left the others as texts: it has exchanged day and month of those that
     * are dates now, because all of these have a day that may be a month.
     */
    areDatesExchanged: boolean;
    decimal: DecimalSign | null;
    /** A row names a currency other than baht: one that names none may be in it, too. */
    hasForeign: boolean;
    zone: Readonly<{ name: string; from: "header" | "column" | "choice" }>;
    questions: readonly Question[];
  }>;

/** Reads the rows to their end where a decision needs it. Throws an Error for a file without rows, and what reading throws. */
export async function decideReading({ reading, rows }: Table, options: ReadingOptions): Promise<FileReading> {
  const { maxRows = Number.POSITIVE_INFINITY } = options;
  const first: TableRow[] = [];
  let columns: ColumnMap | null = null;
  let rowsBefore = 0;
  const evidence = {
    dates: noEvidence(),
    years: noYears(),
    amounts: noEvidence(),
    serials: { exchangeable: 0, others: 0 },
    hasForeign: false,
  };
  const begin = () => {
    const header = findHeader(first, [...options.columns.keys()]);
    rowsBefore = header.rowsBefore;
    columns = columnsOf(header.titles, options);
    for (const row of first.slice(rowsBefore + 1)) note(evidence, row, { columns, date1904: reading.date1904 });
    return columns;
  };
  const yieldIfBusy = makeYield();
  let read = 0;
  for await (const row of rows) {
    await yieldIfBusy();
    read += 1;
    if (read > rowsBefore + 1 + maxRows) throw tooManyRows(maxRows);
    if (columns !== null) note(evidence, row, { columns, date1904: reading.date1904 });
    else if (first.push(row) === maxTitleRows && begin().isOwn) break;
  }
  const map = withCurrencyAbove(columns ?? begin(), first.slice(0, rowsBefore));
  const header = first[rowsBefore];
  if (!header) throw new Error("the file is empty");
  if (isDonation(header, map))
    throw new Error(`row ${header.number} has an amount where the titles of the columns must be: write titles above it`);
  return readingOf({ reading, map, header, rowsBefore, evidence, options });
}

/** `Currency: USD` or `Amounts in US dollars` above the titles, where no column says otherwise. */
function withCurrencyAbove(map: ColumnMap, above: readonly TableRow[]): ColumnMap {
  if (map.currency !== null || map.places.currency !== undefined) return map;
  const lines = above.map(({ cells }) => cells.filter((cell) => cell !== undefined).join(" "));
  const found = lines.filter((line) => /currency|สกุลเงิน|amounts? (?:are )?in /i.test(line)).map((line) => splitCurrency(line).currency);
  return { ...map, currency: found.find(Boolean) ?? null };
}

export function tooManyRows(maxRows: number): Error {
  return new Error(`the file has more than ${maxRows.toLocaleString("en")} rows`);
}

function columnsOf(header: Header, { places, columns }: ReadingOptions): ColumnMap {
  if (places) return placeColumns(header, places);
  return columns.size > 0 ? mapColumns(header, columns) : withoutDoubles(guessColumns(header));
}

/** Values of a column that have only the first of two readings, only the second, or both; `hints` are both, but of a kind that means the first. */
type Evidence = { first: number; second: number; both: number; hints: number };
type AllEvidence = {
  dates: Evidence;
  years: Years;
  amounts: Evidence;
  serials: { exchangeable: number; others: number };
  hasForeign: boolean;
};

function noEvidence(): Evidence {
  return { first: 0, second: 0, both: 0, hints: 0 };
}

type Columns = Readonly<{ columns: ColumnMap; date1904: boolean }>;

function note(evidence: AllEvidence, { cells }: TableRow, { columns: { places }, date1904 }: Columns): void {
  const { dates, years, amounts, serials } = evidence;
  const [time, amount] = [cells[places.createdAt ?? -1], cells[places.amount ?? -1]];
  if (typeof time === "string") noteDate({ dates, years }, time);
  if (typeof time === "number") serials[new Date(localOfSerial(time, date1904)).getUTCDate() > 12 ? "others" : "exchangeable"] += 1;
  if (typeof amount === "string") noteAmount(amounts, amount);
  evidence.hasForeign ||= isForeign(cells[places.currency ?? -1]);
}

function noteDate({ dates, years }: Pick<AllEvidence, "dates" | "years">, text: string): void {
  const time = /^\d{4}-/.test(text) ? null : readTime(text); // most files have the year first, which shows nothing and need not be read twice
  if (!time) return;
  noteYear(years, time.days, plainText(text));
  if (time.days["day-first"] === time.days["month-first"]) return;
  if (time.days["month-first"] === null) dates.first += 1;
  else if (time.days["day-first"] === null) dates.second += 1;
  else dates[time.isBuddhist ? "hints" : "both"] += 1;
}

/**
 * Whether two digits in front may be the year, `26/11/20`: in all dates, or only they. Days of a column vary more than its years. `isOld`: with the
 * year behind, a date is older than donations of streams are.
 */
type Years = { inAll: boolean; differ: boolean; only: boolean; isOld: boolean; first: Set<string>; last: Set<string> };

/** Days from 1970 to 2015. */
const firstLikelyDay = 16_436;

function noYears(): Years {
  return { inAll: true, differ: false, only: false, isOld: false, first: new Set(), last: new Set() };
}

function noteYear(years: Years, days: WrittenTime["days"], text: string): void {
  const [, first = "", last = ""] = /(?<!\d)(\d\d)[-/.]\d\d[-/.](\d\d)(?!\d)/.exec(text) ?? [];
  years.inAll &&= first !== "" && days["year-first"] !== null;
  years.differ ||= days["year-first"] !== days["day-first"];
  years.only ||= days["day-first"] === null && days["month-first"] === null;
  years.isOld ||= (days["day-first"] ?? days["month-first"] ?? firstLikelyDay) < firstLikelyDay;
  years.first.add(first);
  years.last.add(last);
}

function weighYears({ inAll, differ, only, isOld, first, last }: Years): DateOrder | null | "asked" {
  if (!inAll || !differ) return null;
  return only ? "year-first" : first.size > last.size && !isOld ? null : "asked";
}

function noteAmount(evidence: Evidence, text: string): void {
  const amount = readAmount(text);
  if (!amount || amount.point === amount.comma) return;
  if (amount.comma === null) evidence.first += 1;
  else if (amount.point === null) evidence.second += 1;
  else evidence.both += 1;
}

/** What most values show that have one reading only; the others are faults of their rows. */
function weigh<Value>({ first, second, both, hints }: Evidence, [one, other]: readonly [Value, Value]): Value | null | "asked" {
  if (first !== second) return first > second ? one : other;
  if (first > 0) return "asked";
  if (hints > 0) return one;
  return both > 0 ? "asked" : null;
}

/** Of a file without a header, whose first donation would be lost. Before a column is chosen any amount shows it. */
function isDonation({ cells }: TableRow, { places, titles }: ColumnMap): boolean {
  const isAmount = (cell: Cell | undefined) => {
    const { point = null, comma = null } = typeof cell === "string" ? (readAmount(cell) ?? {}) : { point: cell };
    return (point ?? comma) !== null;
  };
  const isShown = places.amount === undefined ? cells.some((cell) => isFigure(cell) && isAmount(cell)) : isAmount(cells[places.amount]);
  return isShown && Object.keys(guessColumns(titles).places).length === 0;
}

type Decided = Readonly<{
  reading: TableReading;
  map: ColumnMap;
  header: TableRow;
  rowsBefore: number;
  evidence: AllEvidence;
  options: ReadingOptions;
}>;

function readingOf({ reading, map, header, rowsBefore, evidence, options }: Decided): FileReading {
  const { dateOrder, decimal } = options.choices;
  const order = dateOrder ?? map.dateOrder ?? weighYears(evidence.years) ?? weigh(evidence.dates, ["day-first", "month-first"] as const);
  const sign = decimal ?? weigh(evidence.amounts, ["point", "comma"] as const);
  const { timeZone } = map.places;
  return {
    ...reading,
    ...{ headerRow: header.number, rowsBefore, columns: map },
    dateOrder: order === "asked" ? null : order,
    areDatesExchanged: evidence.serials.exchangeable > 0 && evidence.serials.others === 0 && evidence.dates.first !== evidence.dates.second,
    ...{ decimal: sign === "asked" ? null : sign, hasForeign: evidence.hasForeign },
    zone:
      timeZone !== undefined
        ? { name: map.titles[timeZone] ?? "", from: "column" }
        : map.timezone !== null
          ? { name: map.timezone, from: "header" }
          : { name: options.timezone, from: "choice" },
    questions: [
      ...reading.questions,
      ...(order === "asked" ? ["dateOrder" as const] : []),
      ...(sign === "asked" ? ["decimal" as const] : []),
    ],
  };
}

const asked: Readonly<Record<Question, string>> = {
  sheet: "the workbook has several sheets with donations: choose one",
  dateOrder: "the dates may begin with the day, the month or the year: choose the order of dates",
  decimal: "a comma or a point in the amounts may separate thousands or decimals: choose the decimal sign",
};

/** Throws an Error that names the question which the person must answer before the file is imported. */
export function refuseQuestions({ questions: [question] }: FileReading): void {
  if (question) throw new Error(asked[question]);
}
